using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Udp.Interop;
using NumaSharp.Udp.Shards;

namespace NumaSharp.Udp.Tests.Sharding;

public sealed class ShardWatchTests
{
    [Fact]
    public void WaitForSends_RepliesWaitAlready_IsAnEventOfItsOwn()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        using var loops = new NumaEventLoopGroup(
            NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1 }));
        var fallbacks = new ClaimedFallbacks(fallbacks: null, subject: this);
        Assert.True(DatagramSocket.Create(AddressFamily.InterNetwork, fallbacks, out var socket).Succeeded);
        using (socket)
        {
            var events = 0;
            var watch = new ShardWatch(loops.Loops[0], new Caller(() => Interlocked.Increment(ref events)));
            watch.Start(socket!);
            watch.WaitForReplies(true);
            Wait.Until(() => Volatile.Read(ref events) == 1);

            // The socket has room, and nothing that leaves it will be an event.
            watch.WaitForSends(true);
            Wait.Until(() => Volatile.Read(ref events) == 2);
            watch.Stop();
        }
    }
}
