namespace NumaSharp.Core.Linux;

/// <summary>Reads the figures of one node (Documentation/admin-guide/numastat.rst) and nothing else of the machine.</summary>
internal sealed class NodeStatisticsReader(MachineFiles files)
{
    public NumaNodeStatistics? Read(int nodeId)
    {
        if (nodeId is < 0 or >= NodeReader.MaxNodes)
        {
            return null;
        }

        var meminfo = files.Sysfs.Read($"{NodeReader.Folder}/node{nodeId}/meminfo");
        if (!meminfo.IsMissing)
        {
            return ReadCounters(nodeId, MemoryOf(meminfo));
        }

        if (nodeId != 0 || files.Sysfs.DirectoryExists(NodeReader.Folder))
        {
            return null;
        }

        var machine = files.Proc.Read("meminfo");
        return machine.IsMissing ? null : WithoutCounters(MemoryOf(machine));
    }

    private NumaNodeStatistics ReadCounters(int nodeId, NodeMeminfo memory)
    {
        var numastat = files.Sysfs.Read($"{NodeReader.Folder}/node{nodeId}/numastat");
        return numastat.IsMissing
            ? WithoutCounters(memory)
            : new NumaNodeStatistics(
                memory.TotalBytes,
                memory.FreeBytes,
                CounterOf(numastat, "numa_hit"),
                CounterOf(numastat, "numa_miss"),
                CounterOf(numastat, "numa_foreign"),
                CounterOf(numastat, "interleave_hit"),
                CounterOf(numastat, "local_node"),
                CounterOf(numastat, "other_node"));
    }

    private static NumaNodeStatistics WithoutCounters(NodeMeminfo memory) =>
        new(memory.TotalBytes, memory.FreeBytes, hit: 0, miss: 0, foreign: 0, interleaveHit: 0, local: 0, other: 0);

    // A counter that drops to 0 for a moment would look like a restart: no figure is better than a wrong one.
    private static long CounterOf(FileReading numastat, string name) =>
        KernelText.TryFindNumber(numastat.Text, name, out var value)
            ? value
            : throw new NumaTopologyException(numastat.Path, numastat.Value, $"a line '{name} N' is needed");

    private static NodeMeminfo MemoryOf(FileReading meminfo) =>
        KernelText.TryParseMeminfo(meminfo.Text, out var memory)
            ? memory
            : throw new NumaTopologyException(meminfo.Path, meminfo.Value, "a line 'MemTotal: N kB' is needed");
}
