namespace NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

/// <summary>What an application that does not read costs.</summary>
public abstract class ReadLimitSuite(TransportFixture transport) : RawSuite(transport)
{
    // The kernel's buffers at both ends, the largest of the limits, and some.
    private const long OnItsWay = 2L * 1024 * 1024;
    private const int Total = 8 * 1024 * 1024;

    [Theory]
    [InlineData(1)]
    [InlineData(64 * 1024)]
    [InlineData(1024 * 1024)]
    public async Task Client_SendsMoreThanIsRead_HasToWait(long limit)
    {
        await using var connection = await OpenSmallAsync(new TransportLimits { MaxReadBufferSize = limit });
        connection.Client.Socket.SendBufferSize = SmallBuffer;
        var stalled = new Signal();
        var sent = 0L;
        var send = Task.Run(async () =>
        {
            while (sent < Total)
            {
                var step = connection.Client.Socket.SendAsync(Pattern.At(sent, Pattern.LongestPiece));
                if (!step.IsCompleted)
                {
                    stalled.Set();
                }

                Interlocked.Add(ref sent, await step.Within("the client's send"));
            }
        });
        await Task.WhenAny(stalled.Task, send).Within("the client has to wait");
        Assert.False(send.IsCompleted, "The transport took everything without a reader.");
        var position = 0L;
        while (position < Total)
        {
            var read = await connection.Input.ReadAsync().Within("more bytes");
            Pattern.Verify(read.Buffer, position);
            position += read.Buffer.Length;
            Assert.InRange(Interlocked.Read(ref sent) - position, long.MinValue, OnItsWay);
            connection.Input.AdvanceTo(read.Buffer.End);
        }

        await send;
    }
}
