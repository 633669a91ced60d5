using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;
using NumaSharp.GuestTests.Hosting;
using NumaSharp.GuestTests.Support;
using NumaSharp.Scheduling;

namespace NumaSharp.GuestTests.Surroundings;

/// <summary>
/// A host with work and open connections on a machine that changes; docs/guide/changes.md promises what it does.
/// </summary>
public sealed class ChangingMachineTests : ThreeNodeTests, IAsyncLifetime
{
    private const int BlockSize = 3_000_000;

    private readonly ConcurrentQueue<NumaPlanChange> _changes = [];
    private readonly List<NumaMemoryBlock> _rented = [];
    private HashSet<int> _othersThreads = [];
    private SeeingServer _server = null!;
    private EchoLoad _load = null!;

    private NumaPlanMonitor Monitor => _server.Services.GetRequiredService<NumaPlanMonitor>();

    private NumaMemoryPools Pools => _server.Services.GetRequiredService<NumaMemoryPools>();

    public async ValueTask InitializeAsync()
    {
        // NumaTaskScheduler.Shared, which follows no change, may exist because of another test.
        _othersThreads = [.. ThreadStatus.OfThisProcess("numa").Select(static thread => thread.Id)];
        _server = await SeeingServer.StartAsync("Adaptive", pollInterval: "100ms");
        Monitor.Changed += (_, change) => _changes.Enqueue(change);
        _load = new EchoLoad(_server);
        _load.Start();
        await AssertOnAsync("0-1", "2-3");
    }

    public async ValueTask DisposeAsync()
    {
        _rented.ForEach(static block => block.Dispose());
        await _load.EndAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task Host_CpuUnplugged_ThreadsOfItsNodeFollowAndComeBack()
    {
        using (new OfflineCpu(3))
        {
            await AssertOnAsync("0-1", "2");

            // Reported last, when everything has followed.
            await Wait.UntilAsync(() => !_changes.IsEmpty, static () => "a reported change");
            Assert.Equal("3", Assert.Single(_changes).RemovedCpus.ToString());
        }

        await AssertOnAsync("0-1", "2-3");
        await AssertAsAtTheStartAsync();
    }

    [Fact]
    public async Task Host_NodeLosesAllItsCpus_ItsThreadsRunOnTheNearestAndItsMemoryStays()
    {
        using (new OfflineCpu(2))
        using (new OfflineCpu(3))
        {
            await AssertOnAsync("0-1", "0-1");
            AssertNewMemoryOf(1, isOn: 1);
        }

        await AssertOnAsync("0-1", "2-3");
        await AssertAsAtTheStartAsync();
    }

    [Fact]
    public async Task Host_CpusetShrinksToANodeAndAcrossNodesAndGrows_ThreadsFollow()
    {
        using var fence = new Cpuset("changing-cpus", cpus: "0-3", memoryNodes: "0-2");
        fence.Enter();
        fence.SetCpus("2-3");
        await AssertOnAsync("2-3", "2-3");
        fence.SetCpus("1-2");
        await AssertOnAsync("1", "2");
        fence.SetCpus("0-3");
        await AssertOnAsync("0-1", "2-3");
        await AssertAsAtTheStartAsync();
    }

    [Fact]
    public async Task Host_MemoryOfANodeIsForbidden_NewMemoryComesFromTheRemainingNode()
    {
        using var fence = new Cpuset("changing-memory", cpus: "0-3", memoryNodes: "0-2");
        fence.Enter();
        using var old = Pools.ForNode(new(1)).RentBlock(BlockSize);
        old.GetSpan().Fill(7);
        Pages.AssertOn(1, old);

        fence.SetMemoryNodes("0");
        await FollowedAsync(1, memoryOf: 0);
        Assert.All(TheMachine.Nodes, node => AssertNewMemoryOf(node, isOn: 0));
        Assert.Equal(-1, old.GetSpan().IndexOfAnyExcept((byte)7));
        Pages.AssertOn(0, old);
        await AssertOnAsync("0-1", "2-3");

        fence.SetMemoryNodes("0-2");
        await FollowedAsync(1, memoryOf: 1);
        Assert.All(TheMachine.Nodes, node => AssertNewMemoryOf(node, isOn: node));
        await AssertAsAtTheStartAsync();
    }

    // By what Changed has reported: Monitor.Plan is the new one before the pools have followed it.
    private Task FollowedAsync(int node, int memoryOf)
    {
        return Wait.UntilAsync(
            () => _changes.LastOrDefault()?.Plan.FindNode(new(node))?.MemoryNodeId.Value == memoryOf,
            () => $"another plan than {Monitor.Plan}");
    }

    // As the kernel and the plan have it, while work continues.
    private async Task AssertOnAsync(string cpusOfNode0, string cpusOfNode1)
    {
        await _load.ServeAsync(rounds: 5);
        await RunOnEveryNodeAsync();
        string[] expected = [cpusOfNode0, cpusOfNode1];

        // The plan too: of a cpuset the kernel itself narrows masks at once.
        await Wait.UntilAsync(
            () => TheMachine.CpuNodes.All(node => $"{Monitor.Plan.FindNode(new(node))!.Cpus}" == expected[node]
                && Array.TrueForAll(ThreadsOf(node), thread => thread.CpusAllowed == expected[node])),
            () => $"{string.Join(" and ", expected)}: {Monitor.Plan}; "
                + $"{string.Join("; ", TheMachine.CpuNodes.SelectMany(ThreadsOf))}");
        await _load.ServeAsync(rounds: 5);
        var cpus = await RunOnEveryNodeAsync();
        Assert.All(TheMachine.CpuNodes, node => Assert.Empty(cpus[node].Except(CpuSet.ParseList(expected[node]))));
    }

    private async Task AssertAsAtTheStartAsync()
    {
        await _load.ServeAsync(rounds: 5);
        Assert.Equal(
            _server.Services.GetRequiredService<NumaPlan>().Nodes.Select(static node => $"{node}"),
            Monitor.Plan.Nodes.Select(static node => $"{node}"));
        Assert.Empty(_server.Services.GetRequiredService<NumaFallbacks>().Current);
        Assert.All(_changes.SelectMany(static change => change.Plan.Nodes), static node => Assert.False(node.Cpus.IsEmpty));
    }

    // A worker and two loops, at the least: workers follow the number of CPUs.
    private ThreadStatus[] ThreadsOf(int node)
    {
        var threads = ThreadStatus.OfThisProcess($"numa{node}-").Where(thread => !_othersThreads.Contains(thread.Id)).ToArray();
        Assert.True(threads.Length >= 3, $"Node {node} has {threads.Length} threads.");
        return threads;
    }

    /// <summary>The CPUs that some work for each node with CPUs ran on.</summary>
    private async Task<HashSet<int>[]> RunOnEveryNodeAsync()
    {
        var scheduler = _server.Services.GetRequiredService<NumaTaskScheduler>();
        return await Task.WhenAll(TheMachine.CpuNodes.Select(async node => new HashSet<int>(
            await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => scheduler.RunOnNode(node, CurrentCpu))))));
    }

    private static int CurrentCpu()
    {
        NumaPlatform.Default.Affinity.GetCurrent(out var cpu, out _).ThrowIfFailed("getcpu");
        return cpu;
    }

    // A mapping of its own, and a slab's. Held to the end: what was returned is where it was, for whose thread rents it again.
    private void AssertNewMemoryOf(int node, int isOn)
    {
        foreach (var size in (int[])[BlockSize, 500_000])
        {
            var block = Pools.ForNode(new(node)).RentBlock(size);
            _rented.Add(block);
            block.GetSpan().Fill(1);
            Pages.AssertOn(isOn, block);
        }
    }
}
