namespace NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

/// <summary>
/// The end of a connection with unread bytes. Not for Kestrel's own transport over Unix sockets: it closes the
/// socket then, and the client's next read fails.
/// </summary>
public abstract class UnreadDataSuite(TransportFixture transport) : RawSuite(transport)
{
    [Fact]
    public async Task DisposeAsync_ClientsDataUnread_OutputStillArrivesWhole()
    {
        await using var connection = await OpenAsync(new TransportLimits { MaxReadBufferSize = 1 });
        await connection.ClientSendPatternAsync(100_000);
        await connection.PeekAsync(1);
        await connection.WritePattern(50_000).Within();
        await connection.Server.DisposeAsync().Within("the disposal");
        await connection.ClientReceivePatternAsync(50_000);
        Assert.Empty(await connection.Client.ReceiveToEndAsync());
    }
}
