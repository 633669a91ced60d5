using NumaSharp.Transport.Epoll.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>The assertions of debug builds: what is done here breaks the rule of the pipes, and is seen.</summary>
public sealed class OwnershipTests
{
#if !DEBUG
    public OwnershipTests() => Assert.Skip("The assertions are in debug builds.");
#endif

    [Fact]
    public async Task ReceivePipe_TouchedWithoutItsLock_IsSeen()
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.Adaptive);

        AssertSeen(pair.Input.ReleaseBlocks, "receive pipe");
        AssertSeen(() => pair.Input.MarkClosed(reason: null), "receive pipe");
    }

    [Fact]
    public async Task SendPipe_TouchedWithoutItsLock_IsSeen()
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.Adaptive);

        AssertSeen(pair.Output.ReleaseBlocks, "send pipe");
    }

    [Fact]
    public async Task Pipes_TouchedWithTheirLocks_AreFine()
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.Adaptive);
        lock (pair.Input.SyncRoot)
        {
            pair.Input.ReleaseBlocks();
        }

        lock (pair.Output.SyncRoot)
        {
            pair.Output.ReleaseBlocks();
        }
    }

    private static void AssertSeen(Action breach, string what) =>
        Assert.Contains(what, Assert.ThrowsAny<Exception>(breach).Message, StringComparison.Ordinal);
}
