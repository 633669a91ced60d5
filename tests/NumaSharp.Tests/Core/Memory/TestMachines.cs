using System.Collections.Concurrent;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Machines for memory tests, and threads that report their failures.</summary>
internal static class TestMachines
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    /// <summary>Nodes 0 and 2 with one CPU each, of the same id.</summary>
    public static NumaTopology TwoNodes() => new("Test", [Node(0), Node(2)]);

    public static NumaPlan TwoNodePlan(NumaBindMode mode = NumaBindMode.Advisory) =>
        NumaPlan.Create(TwoNodes(), new NumaPlanRequest { BindMode = mode });

    /// <summary>Nodes from 0 on with one CPU each, of the same id.</summary>
    public static NumaPlan PlanOf(int nodes) => NumaPlan.Create(TopologyOf(nodes), new NumaPlanRequest());

    /// <summary>Nodes from 0 on with one CPU each, of the same id, of which some may have no memory to give.</summary>
    public static NumaTopology TopologyOf(int nodes, Func<int, bool>? hasMemory = null) => new(
        "Test",
        [.. Enumerable.Range(0, nodes).Select(id => Node(id) with { IsMemoryAllowed = hasMemory?.Invoke(id) ?? true })]);

    public static void RunOnThreads(int count, Action<int> body)
    {
        var failures = new ConcurrentQueue<Exception>();
        var threads = Enumerable.Range(0, count).Select(index => new Thread(() =>
        {
            try
            {
                body(index);
            }
            catch (Exception exception)
            {
                failures.Enqueue(exception);
            }
        })).ToArray();
        Array.ForEach(threads, static thread => thread.Start());
        Array.ForEach(threads, static thread => Assert.True(thread.Join(s_patience), "A thread hangs."));
        Assert.Empty(failures);
    }

    private static NumaNode Node(int id) => new()
    {
        NodeId = id,
        Cpus = CpuSet.FromIds(id),
        OnlineCpus = CpuSet.FromIds(id),
        MemoryBytes = 1 << 30,
        IsMemoryAllowed = true,
        Kind = NumaNodeKind.Normal,
    };
}
