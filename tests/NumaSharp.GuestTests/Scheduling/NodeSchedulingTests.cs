using NumaSharp.Core;
using NumaSharp.GuestTests.Support;
using NumaSharp.Scheduling;

namespace NumaSharp.GuestTests.Scheduling;

public sealed class NodeSchedulingTests : ThreeNodeTests, IDisposable
{
    private readonly NumaFallbacks _fallbacks = new();
    private readonly NumaTaskScheduler _scheduler;

    public NodeSchedulingTests() => _scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions
    {
        Plan = NumaPlan.Create(NumaTopology.Instance),
        Policy = NumaSchedulingPolicy.NodeStrict,
        Fallbacks = _fallbacks,
        ThreadNamePrefix = "guest",
    });

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task RunOnNode_ManyItems_AllRunOnTheNodesCpus(int nodeIndex)
    {
        var nodes = await Task.WhenAll(Enumerable.Range(0, 200).Select(_ => _scheduler.RunOnNode(nodeIndex, CurrentNode)));
        Assert.All(nodes, node => Assert.Equal(TheMachine.ServerOf(nodeIndex), node));
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public async Task RunOnNode_AfterEachAwait_IsBackOnTheNode() => await _scheduler.RunOnNode(1, static async () =>
    {
        for (var i = 0; i < 20; i++)
        {
            Assert.Equal(1, CurrentNode());
            await Task.Delay(1);
            await Task.Yield();
        }

        Assert.Equal(1, CurrentNode());
    });

    [Fact]
    public async Task ForNode_TaskFactory_RunsThere()
    {
        foreach (var node in TheMachine.Nodes)
        {
            var factory = new TaskFactory(_scheduler.ForNode(new(node)));
            Assert.Equal(TheMachine.ServerOf(node), await factory.StartNew(CurrentNode));
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task RunNumaLocal_OnAPinnedThread_RunsOnItsNode(int node) => Assert.Equal(
        node, await TestThreads.RunOn(TheMachine.CpusOf(node), static () => ((Func<int>)CurrentNode).RunNumaLocal()));

    [Fact]
    public async Task Workers_InTheKernelsEyes_ArePinnedToTheirNodes()
    {
        await Task.WhenAll(TheMachine.CpuNodes.Select(node => _scheduler.RunOnNode(node, CurrentNode)));
        foreach (var node in TheMachine.CpuNodes)
        {
            var workers = ThreadStatus.OfThisProcess($"guest{node}-");
            Assert.True(workers.Length >= 2, $"Node {node} has {workers.Length} workers.");
            Assert.All(workers, worker => Assert.Equal(TheMachine.CpusOf(node).ToString(), worker.CpusAllowed));
        }

        Assert.Empty(ThreadStatus.OfThisProcess("guest2-"));
    }

    public void Dispose() => _scheduler.Dispose();

    private static int CurrentNode()
    {
        NumaPlatform.Default.Affinity.GetCurrent(out _, out var node).ThrowIfFailed("getcpu");
        return node.Value;
    }
}
