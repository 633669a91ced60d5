using NumaSharp.Core;

namespace NumaSharp.WindowsProbe;

/// <summary>NumaSharp without a provider of the system.</summary>
internal static class SingleNodeProbe
{
    public static Task Run(Checks checks)
    {
        var topology = NumaTopology.Instance;
        Console.WriteLine($"{topology.Source}: {topology.NodeCount} node, CPUs {topology.AllowedCpus}");
        checks.That(topology.Source == "SingleNode", $"the source is SingleNode, not {topology.Source}");
        checks.That(topology.NodeCount == 1, $"there is one node, not {topology.NodeCount}");
        checks.That(topology.AllowedCpus.Count == Environment.ProcessorCount, "it has the CPUs that the runtime counts");
        using var pool = new NumaMemoryPool(numaNodeId: 0, blockSize: 4096);
        using var memory = pool.Rent();
        memory.Memory.Span.Fill(1);
        checks.That(memory.Memory.Length >= 4096, "a pool gives blocks of the size that was asked for");
        return Task.CompletedTask;
    }
}
