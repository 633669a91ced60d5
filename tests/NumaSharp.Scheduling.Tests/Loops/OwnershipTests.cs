using NumaSharp.Core;
using NumaSharp.Core.Planning;
using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

/// <summary>The assertions of debug builds: what is done here breaks a rule of the loops' README.md, and is seen.</summary>
public sealed class OwnershipTests : IDisposable
{
    private readonly NumaEventLoopGroup _group;
    private readonly TaskCompletionSource<Exception> _thrown = new();

    public OwnershipTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
#if !DEBUG
        Assert.Skip("The assertions are in debug builds.");
#endif
        var plan = NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1 });
        _group = new NumaEventLoopGroup(
            plan, new NumaEventLoopGroupOptions { UnhandledException = exception => _thrown.TrySetResult(exception) });
    }

    private NumaEventLoop Loop => _group.Loops[0];

    public void Dispose() => _group?.Dispose();

    [Fact]
    public void TryHandOver_ByAnotherThanTheWatchdog_IsSeen() =>
        AssertSeen("thieves", Assert.ThrowsAny<Exception>(() => Loop.TryHandOver(Loop.BatonWord)));

    [Fact]
    public void FollowPlacement_ForAnotherThread_IsSeen() =>
        AssertSeen("pins itself", Assert.ThrowsAny<Exception>(() => NeverStarted().FollowPlacement()));

    [Fact]
    public async Task RunAsHolder_WithinACallback_IsSeen()
    {
        Loop.Post(new RecordingHandler(_ => Loop.RunAsHolder(LoopThread.Current!)));

        AssertSeen("Within a callback", await _thrown.Task.Within());
    }

    private static LoopThread NeverStarted()
    {
        var plan = NumaPlan.Create(NumaTopology.Instance);
        var placement = new NodePlacement(plan, plan.Nodes[0], new FakeAffinity(), static _ => { });
        return new LoopThread(new NodeThreads(placement, fallbacks: null, keepsSpare: false), loop: null, number: 1);
    }

    private static void AssertSeen(string what, Exception thrown) =>
        Assert.Contains(what, thrown.Message, StringComparison.Ordinal);
}
