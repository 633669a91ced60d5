using System.Net;

namespace NumaSharp.Playground.Benchmarks.Udp.Engines;

/// <summary>The design of the article: everything but the end points is pooled.</summary>
internal sealed class PooledEngine(IPAddress address) : SocketEngine(address)
{
    protected override async Task RunAsync(bool isEcho)
    {
        var buffer = GC.AllocateArray<byte>(LargestDatagram, pinned: true);
        while (true)
        {
            var (length, from) = await PooledArguments.ReceiveAsync(Socket, buffer);
            if (isEcho)
            {
                await PooledArguments.SendAsync(Socket, from, buffer.AsMemory(0, length));
            }

            Count();
        }
    }

    protected override async ValueTask SendOneAsync(IPEndPoint target, byte[] payload) =>
        await PooledArguments.SendAsync(Socket, target, payload);
}
