using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed class LoopPlacementTests : IDisposable
{
    private readonly FakeAffinity _affinity = new();
    private readonly NumaEventLoopGroup _group;

    public LoopPlacementTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        _group = new NumaEventLoopGroup(
            NumaPlan.Create(TestMachines.ReadAllowed("0-7", "0-1"), new NumaPlanRequest { LoopsPerNode = 2 }),
            new NumaEventLoopGroupOptions { Affinity = _affinity });
    }

    public void Dispose() => _group?.Dispose();

    [Fact]
    public void Apply_SleepingLoops_HoldersAndSparesPinThemselvesAtOnce()
    {
        _ = _group.Loops;
        WaitForPins("0-3", "4-7");
        Apply("0-1,6");
        WaitForPins("0-1", "6");
        Apply("4-7");
        WaitForPins("4-7", "4-7");
        Apply("0-7");
        WaitForPins("0-3", "4-7");
    }

    [Fact]
    public void Apply_SamePlan_PinsAllAgain()
    {
        _ = _group.Loops;
        WaitForPins("0-3", "4-7");
        foreach (var thread in _affinity.Pinned.Keys)
        {
            _affinity.Pinned[thread] = CpuSet.ParseList("0-7");
        }

        _group.Apply(_group.Plan);
        WaitForPins("0-3", "4-7");
    }

    [Fact]
    public void Apply_BeforeTheStart_LoopsStartThere()
    {
        Apply("2,4-7");
        _ = _group.Loops;
        WaitForPins("2", "4-7");
    }

    [Fact]
    public void Apply_HolderInACallback_PinsItselfWhenItReturns()
    {
        using var gate = new ManualResetEvent(false);
        var late = 0;
        var handler = new RecordingHandler(_ =>
        {
            late = Environment.CurrentManagedThreadId;
            gate.WaitFor();
        });
        _group.Loops[0].Post(handler);
        handler.WaitForCall();
        Wait.Until(() => _group.Loops[0].HandOvers == 1);

        Apply("0,4-7");
        Wait.Until(() => _affinity.Pinned.Values.Any(static cpus => cpus.ToString() == "0"));
        Assert.Equal("0-3", _affinity.Pinned[late].ToString());
        gate.Set();
        Wait.Until(() => _affinity.Pinned[late].ToString() == "0");
    }

    [Fact]
    public void Apply_UnderLoad_DeliversEveryPost()
    {
        const int Posts = 20_000;
        var loops = _group.Loops;
        var handlers = loops.Select(static _ => new RecordingHandler()).ToArray();
        string[] machines = ["0-3", "4-7", "0,4", "0-7"];
        for (var post = 0; post < Posts; post++)
        {
            if (post % 50 == 0)
            {
                Apply(machines[post / 50 % machines.Length]);
            }

            loops[post % loops.Count].Post(handlers[post % loops.Count]);
            handlers[post % loops.Count].WaitForCall();
        }

        Assert.All(handlers, handler => Assert.Equal(Posts / loops.Count, handler.Events.Count));
    }

    [Fact]
    public void Apply_AfterTheEndOrOfAnotherMachine_DoesNothingOrIsRefused()
    {
        Assert.Throws<ArgumentException>(() => _group.Apply(TestMachine.Plan(2)));
        _ = _group.Loops;
        _group.Dispose();
        Apply("0-3");
        Assert.Equal("0-3", _group.Plan.Cpus.ToString());
    }

    private void Apply(string cpus) => _group.Apply(_group.Plan.Adapt(TestMachines.ReadAllowed(cpus, "0-1")).Plan);

    // Two loops per node, each with its holder, and a spare of the node.
    private void WaitForPins(string first, string second)
    {
        string[] expected =
        [
            .. new List<string> { first, first, first, second, second, second }.Order(StringComparer.Ordinal),
        ];
        Wait.Until(() => _affinity.Pinned.Values
            .Select(static cpus => cpus.ToString()).Order(StringComparer.Ordinal).SequenceEqual(expected));
    }
}
