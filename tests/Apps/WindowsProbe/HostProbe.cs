using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;
using NumaSharp.Plugins.Windows;
using NumaSharp.Scheduling;

namespace NumaSharp.WindowsProbe;

/// <summary>A worker with AddNuma and this provider, selected by itself.</summary>
internal static class HostProbe
{
    public static async Task Run(Checks checks)
    {
        var builder = Host.CreateApplicationBuilder();
        builder.AddNuma().AddWindows();
        using var host = builder.Build();
        await host.StartAsync();
        var topology = host.Services.GetRequiredService<NumaTopology>();
        checks.That(topology.Source == "Windows", $"Auto selects Windows, not {topology.Source}");
        var scheduler = host.Services.GetRequiredService<NumaTaskScheduler>();
        var pools = host.Services.GetRequiredService<NumaMemoryPools>();
        var affinity = new WindowsAffinityProvider();
        foreach (var node in host.Services.GetRequiredService<NumaPlan>().Nodes)
        {
            var cpus = await scheduler.RunOnNode(
                node.NodeIndex, () => affinity.GetThreadCpus(out var set).Succeeded ? set : null!);
            Console.WriteLine($"plan: node {node.NodeId}, CPUs {node.Cpus}; a worker of it may run on {cpus}");
            checks.That(cpus?.IsSubsetOf(node.Cpus) == true, $"workers of node {node.NodeId} are on its CPUs");
            using var memory = pools.ForNode(node.NodeId).Rent();
            memory.Memory.Span.Fill(1);
        }

        Allocate(checks, host.Services.GetRequiredService<NumaAllocator>());
        await host.StopAsync();
    }

    private static unsafe void Allocate(Checks checks, NumaAllocator allocator)
    {
        const int Bytes = 3 << 20;
        var memory = allocator.AllocateZeroed(Bytes);
        checks.That(!new ReadOnlySpan<byte>(memory, Bytes).ContainsAnyExcept((byte)0), "the allocator gives zeros");
        new Span<byte>(memory, Bytes).Fill(1);
        allocator.Free(memory);
        var small = allocator.Allocate(100);
        new Span<byte>(small, 100).Fill(1);
        allocator.Free(small);
        allocator.Trim();
        checks.That(allocator.AllocatedBytes == 0, "and takes everything back");
    }
}
