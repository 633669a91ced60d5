using NumaSharp.Core;
using NumaSharp.Core.Planning;
using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

/// <summary>The spares of a node serve all of its loops.</summary>
public sealed class NodeThreadsTests : IDisposable
{
    private readonly FakeAffinity _affinity = new();
    private readonly LateThread _late = new();
    private NumaEventLoopGroup? _group;
    private int _lateId;

    public NodeThreadsTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");

    public void Dispose() => _group?.Dispose();

    [Fact]
    public void Loops_IdleOn64Cpus_AreOneThreadPerCpuAndOneSparePerNode() => AssertThreads(nodes: 2, cpus: 32);

    // It takes 3,000 descriptors.
    [Fact]
    [Trait("tier", "deep")]
    public void Loops_IdleOn1024Cpus_AreOneThreadPerCpuAndOneSparePerNode() => AssertThreads(nodes: 8, cpus: 128);

    [Fact]
    public void Loops_WithoutAWatchdog_HaveNoSpare()
    {
        _group = new NumaEventLoopGroup(
            TestMachines.Row(4).Plan(), new NumaEventLoopGroupOptions { Affinity = _affinity, StallThreshold = TimeSpan.Zero });
        _ = _group.Loops;
        Assert.Equal(4, _group.Threads[0].Count);
    }

    [Fact]
    public void Node_WithoutLoops_HasNoThread()
    {
        _group = Start(2, 0);
        Assert.Equal([3, 0], _group.Threads.Select(static node => node.Count));
    }

    [Fact]
    public void LateThread_ItsCallbackReturns_ServesAnotherLoopOfItsNode()
    {
        _group = Start(2);
        var late = LoseLoop(_group.Loops[0], out var release);
        var id = _lateId;
        Assert.Equal("0", _affinity.Pinned[id].ToString());
        release.Open();

        // The latest spare is the first to be taken.
        Wait.Until(() => _group.Threads[0].SpareCount == 2);
        _ = LoseLoop(_group.Loops[1], out var other);
        Assert.Same(_group.Loops[1], late.Loop);
        Assert.Equal((1, 2), (_group.Loops[0].ThreadCount, _group.Loops[1].ThreadCount));
        Wait.Until(() => _affinity.Pinned[id].ToString() == "1");
        other.Open();
        Wait.Until(() => _group.Loops[1].ThreadCount == 1);
    }

    [Fact]
    public void LateThread_OfAnotherNode_StaysThere()
    {
        _group = Start(1, 1);
        var late = LoseLoop(_group.Loops[0], out var release);
        release.Open();
        Wait.Until(() => _group.Threads[0].SpareCount == 2);

        _ = LoseLoop(_group.Loops[1], out var other);
        Assert.Null(late.Loop);
        other.Open();
    }

    [Fact]
    public void Loops_AllBlocked_EachGetsAThread()
    {
        // The kernel says which thread is late.
        _group = new NumaEventLoopGroup(TestMachines.Row(4).Plan(), new NumaEventLoopGroupOptions { Affinity = _affinity });
        using var release = new Gate();
        var blocked = _group.Loops.Select(_ => new RecordingHandler(_ => release.Pass())).ToArray();
        var others = _group.Loops.Select(static _ => new RecordingHandler()).ToArray();
        foreach (var loop in _group.Loops)
        {
            loop.Post(blocked[loop.Index]);
            loop.Post(others[loop.Index]);
        }

        Assert.All(others, static handler => handler.WaitForCall());
        Assert.All(_group.Loops, static loop => Assert.Equal((1, 2), (loop.LateThreads, loop.ThreadCount)));
        release.Open();
        Assert.All(blocked, static handler => handler.WaitForReturn());
        Wait.Until(() => _group.Loops.All(static loop => loop.ThreadCount == 1));
    }

    [Fact]
    public void PutBack_TheNodeStopsMeanwhile_TheThreadEnds()
    {
        var loop = (_group = Start(1)).Loops[0];
        var threads = NewThreads();
        threads.EnsureSpare();
        var taken = threads.Take()!;
        Assert.True(taken.TryEnter(loop));

        // Woken for its end, it finds that it is in a loop, and waits for what happens to it there.
        threads.RequestStop();
        Assert.False(taken.TryEnd());
        Assert.Equal(1, threads.Count);
        taken.Leave();
        threads.PutBack(taken);
        Wait.Until(() => threads.Count == 0);
        Assert.False(taken.TryEnter(loop));
    }

    [Fact]
    public void RetireSpares_ThoseThatAreParked_End()
    {
        var threads = NewThreads();
        threads.EnsureSpare();
        threads.RetireSpares();
        Wait.Until(() => threads.Count == 0);
        Assert.False(threads.HasSpare);
        threads.EnsureSpare();
        Assert.Equal(1, threads.Count);
        threads.RequestStop();
        Wait.Until(() => threads.Count == 0);
    }

    private void AssertThreads(int nodes, int cpus)
    {
        _group = Start(Enumerable.Repeat(cpus, nodes).ToArray());
        Assert.Equal((nodes * cpus) + nodes, _group.Threads.Sum(static node => node.Count));

        var threads = _group.Threads;
        _group.Dispose();
        Assert.All(threads, static node => Assert.Equal(0, node.Count));
    }

    // The loop's thread is in a callback that has lost the loop, until the gate opens.
    private LoopThread LoseLoop(NumaEventLoop loop, out Gate release)
    {
        var gate = release = new Gate();
        LoopThread? late = null;
        var handler = new RecordingHandler(_ =>
        {
            (late, _lateId) = (LoopThread.Current, Environment.CurrentManagedThreadId);
            _late.LoseLoop(loop);
            gate.Pass();
        });
        loop.Post(handler);
        handler.WaitForHandOver();

        // The next spare is ready by now: the late thread will be the latest.
        Wait.Until(() => _group!.Threads[loop.NodeIndex].HasSpare);
        return late!;
    }

    private NodeThreads NewThreads()
    {
        var plan = TestMachines.Row(1).Plan();
        var placement = new NodePlacement(plan, plan.Nodes[0], _affinity, static fallback => Assert.Fail(fallback.Message));
        return new NodeThreads(placement, fallbacks: null, keepsSpare: true);
    }

    private NumaEventLoopGroup Start(params int[] cpusPerNode)
    {
        var options = new NumaEventLoopGroupOptions { Affinity = _affinity };
        _late.Configure(options);
        var plan = TestMachines.Row(cpusPerNode).Plan(new NumaPlanRequest { Granularity = NumaAffinityGranularity.Core });
        var group = new NumaEventLoopGroup(plan, options);
        _ = group.Loops;
        return group;
    }
}
