using System.Buffers;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Transport.Epoll.Tests.QuickStart;

/// <summary>The code of the NumaSharp 1.0.1 quick start, as its users have it; only what it calls is ours.</summary>
public sealed class QuickStartTests
{
    private int _ran;

    [Fact]
    public async Task Scheduling_QuickStartCode_Runs()
    {
        // One worker group per NUMA node, all threads pinned to their node's CPUs
        using NumaTaskScheduler scheduler = new(NumaSchedulingPolicy.LocalityFirst);

        // Schedule work on a specific node
        await scheduler.RunOnNode(nodeIndex: 0, () =>
        {
            // Runs on a thread pinned to node 0
            ProcessNodeLocalData();
        });

        // Or use the shared singleton
        await ((Action)UpdateCache).RunNumaLocal(); // routes to caller's NUMA node

        Assert.Equal(2, _ran);
    }

    [Fact]
    public void MemoryPools_QuickStartCode_Runs()
    {
        // One pool per NUMA node; a node that the machine lacks gets the nearest one's memory
        using NumaMemoryPool pool0 = new(numaNodeId: 0, blockSize: 4096);
        using NumaMemoryPool pool1 = new(numaNodeId: 1, blockSize: 4096);

        using IMemoryOwner<byte> buf = pool0.Rent(); // 64-byte aligned native memory
#pragma warning disable CA1855 // The quick start's own words.
        buf.Memory.Span.Fill(0);
#pragma warning restore CA1855
        using IMemoryOwner<byte> other = pool1.Rent();
        other.Memory.Span.Fill(1);

        using var pin = buf.Memory.Pin();
        Assert.Equal(0u, AddressOf(pin) % 64);
        Assert.True(buf.Memory.Length >= 4096);
    }

    [Fact]
    public void Topology_QuickStartCode_Runs()
    {
        NumaTopology topology = NumaTopology.Instance;
        var text = $"{topology.NodeCount} NUMA nodes";

        foreach (NumaNode node in topology.Nodes)
        {
            text += $"  Node {node.NodeId}: CPUs {string.Join(',', node.CpuIds)}, "
                  + $"{node.MemoryBytes / (1L << 30)} GB";
        }

        Assert.Contains("Node ", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Transport_QuickStartCode_ServesRequests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        string[] args = [];
        WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
        builder.WebHost.UseUrls("http://127.0.0.1:0");

        using NumaTaskScheduler scheduler = new(NumaSchedulingPolicy.LocalityFirst);
        EpollTransportFactory transport = new(scheduler);

        builder.WebHost.UseNumaSharpTransport(transport);

        WebApplication app = builder.Build();
        app.MapGet("/ping", () => "pong");
        await app.StartAsync();

        using var client = TestHttpClient.Create();
        Assert.Equal("pong", await client.GetStringAsync(new Uri($"{app.Urls.Single()}/ping")));
        Assert.Contains(transport.GetStatistics(), static loop => loop.AcceptedConnections > 0);
        await app.DisposeAsync();
    }

    private static unsafe nuint AddressOf(MemoryHandle handle) => (nuint)handle.Pointer;

    private void ProcessNodeLocalData() => Interlocked.Increment(ref _ran);

    private void UpdateCache() => Interlocked.Increment(ref _ran);
}
