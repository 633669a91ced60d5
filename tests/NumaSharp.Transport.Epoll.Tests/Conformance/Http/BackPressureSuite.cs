using System.Globalization;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Http;

/// <summary>A slow peer costs bounded memory, and nothing is lost.</summary>
public abstract class BackPressureSuite(TransportFixture transport) : HttpSuite(transport)
{
    private const long Total = 16L * 1024 * 1024;

    /// <summary>
    /// What may be on its way: in the kernel's buffers at both ends, and up to the limits of the transport and of Kestrel, 1 MiB
    /// each. Far below what is transferred.
    /// </summary>
    private const long OnItsWay = 4L * 1024 * 1024;

    private const int SmallBuffer = 64 * 1024;

    protected override TransportLimits Limits => new() { KernelBuffers = SmallBuffer };

    [Fact]
    public async Task Response_ClientReadsSlowly_FlushWaitsAndAllArrives()
    {
        var received = 0L;
        var written = 0L;
        var mostAhead = 0L;
        var stalled = new Signal();
        var path = Server.On(async context =>
        {
            context.Response.ContentLength = Total;
            var writer = context.Response.BodyWriter;
            while (written < Total)
            {
                var flush = writer.WriteAsync(Pattern.At(written, Pattern.LongestPiece));
                written += Pattern.LongestPiece;
                mostAhead = Math.Max(mostAhead, written - Interlocked.Read(ref received));
                if (!flush.IsCompleted && mostAhead > SmallBuffer)
                {
                    stalled.Set();
                }

                await flush;
            }
        });
        using var client = await ConnectAsync(SmallBuffer);
        await client.GetAsync(path);
        await stalled.Task.Within("a flush waits, because the client does not read");
        var length = await ReceiveBodyAsync(client, count => Interlocked.Add(ref received, count));
        Assert.Equal(Total, length);
        Assert.InRange(mostAhead, 0, OnItsWay);
    }

    [Fact]
    public async Task Request_HandlerReadsSlowly_ClientWaitsAndAllArrives()
    {
        var sent = 0L;
        var mostAhead = 0L;
        var stalled = new Signal();
        var path = Server.On(async context =>
        {
            await stalled.Task.Within("a send of the client waits, because the handler does not read");
            var reader = context.Request.BodyReader;
            var position = 0L;
            while (true)
            {
                var read = await reader.ReadAsync();
                Pattern.Verify(read.Buffer, position);
                position += read.Buffer.Length;
                mostAhead = Math.Max(mostAhead, Interlocked.Read(ref sent) - position);
                reader.AdvanceTo(read.Buffer.End);
                if (read.IsCompleted)
                {
                    await Replies.TextAsync(context, position.ToString(CultureInfo.InvariantCulture));
                    return;
                }
            }
        });
        using var client = await ConnectAsync();
        client.Socket.SendBufferSize = SmallBuffer;
        await client.SendAsync($"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {Total}\r\n\r\n");
        while (sent < Total)
        {
            var piece = Pattern.At(sent, (int)Math.Min(Pattern.LongestPiece, Total - sent));
            var send = client.Socket.SendAsync(piece);
            if (!send.IsCompleted)
            {
                stalled.Set();
            }

            Interlocked.Add(ref sent, await send.Within("the client's send"));
        }

        Assert.Equal(Total.ToString(CultureInfo.InvariantCulture), (await client.ReceiveResponseAsync()).Text);
        Assert.InRange(mostAhead, 0, OnItsWay);
    }

    [Fact]
    public async Task Response_ClientNeverReads_OthersAreServed()
    {
        var stalled = new Signal();
        var over = new Signal();
        var path = Server.On(async context =>
        {
            context.Response.ContentLength = Total;
            var writer = context.Response.BodyWriter;
            for (var written = 0L; written < Total; written += Pattern.LongestPiece)
            {
                var flush = writer.WriteAsync(Pattern.At(written, Pattern.LongestPiece));
                if (!flush.IsCompleted && written > SmallBuffer)
                {
                    stalled.Set();
                }

                await flush;
            }

            over.Set();
        });
        using var client = await ConnectAsync(SmallBuffer);
        await client.GetAsync(path);
        await stalled.Task.Within("a flush waits, because the client does not read");
        await ExpectServedAsync();
        client.Reset();
        await over.Task.Within("the writes go nowhere once the client is gone, and end");
    }

    [Fact]
    public async Task Request_ByteAtATimeWithBody_ArrivesWhole()
    {
        const int Length = 2000;
        var path = Server.On(Replies.VerifyUpload);
        using var client = await ConnectAsync();
        await client.SendAsync($"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {Length}\r\n\r\n");
        for (var i = 0; i < Length; i++)
        {
            await client.SendAsync(Pattern.At(i, 1));
        }

        Assert.Equal($"{Length}", (await client.ReceiveResponseAsync()).Text);
    }

    private static async Task<long> ReceiveBodyAsync(Wire.WireClient client, Action<int> onReceived)
    {
        var head = "";
        while (!head.EndsWith("\r\n\r\n", StringComparison.Ordinal))
        {
            head += (char)(await client.ReceiveExactlyAsync(1))[0];
        }

        var position = 0L;
        while (position < Total)
        {
            var piece = await client.ReceiveExactlyAsync((int)Math.Min(SmallBuffer, Total - position));
            Pattern.Verify(piece, position);
            position += piece.Length;
            onReceived(piece.Length);
        }

        return position;
    }
}
