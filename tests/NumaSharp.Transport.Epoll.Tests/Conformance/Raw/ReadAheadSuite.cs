namespace NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

/// <summary>For transports that receive bytes before the application asks for them, which ours does not.</summary>
public abstract class ReadAheadSuite(TransportFixture transport) : RawSuite(transport)
{
    [Fact]
    public async Task Client_SendsALotWithoutALimit_AllIsTaken()
    {
        await using var connection = await OpenSmallAsync(new TransportLimits { MaxReadBufferSize = null });
        await connection.ClientSendPatternAsync(MoreThanKernelTakes).Within("the transport takes everything");
        await connection.ReadPatternAsync(MoreThanKernelTakes);
    }
}
