using System.Globalization;

namespace NumaSharp.Core.Linux;

/// <summary>Reads the pools of huge pages (Documentation/admin-guide/mm/hugetlbpage.rst).</summary>
internal sealed class HugePageReader(MachineFiles files, TopologyWarnings warnings)
{
    private const string Prefix = "hugepages-";
    private const string Unit = "kB";
    private const int MaxSizes = 16;

    /// <summary>The pools of a node, smallest page first.</summary>
    public IReadOnlyList<NumaHugePages> Read(int nodeId)
    {
        var node = $"{NodeReader.Folder}/node{nodeId}";
        return ReadPools($"{node}/hugepages") ?? ReadMeminfo(files.Sysfs.Read($"{node}/meminfo"));
    }

    /// <summary>The pools of a kernel without NUMA, smallest page first.</summary>
    public IReadOnlyList<NumaHugePages> ReadWithoutNuma() =>
        ReadPools("kernel/mm/hugepages") ?? ReadMeminfo(files.Proc.Read("meminfo"));

    private List<NumaHugePages>? ReadPools(string folder) => !files.Sysfs.DirectoryExists(folder) ? null :
    [
        .. files.Sysfs.ListNames(folder)
            .Select(static name => (Name: name, PageBytes: PageBytesOf(name)))
            .Where(static pool => pool.PageBytes > 0)
            .OrderBy(static pool => pool.PageBytes)
            .Take(MaxSizes)
            .Select(pool => ReadPool($"{folder}/{pool.Name}", pool.PageBytes))
            .OfType<NumaHugePages>(),
    ];

    private NumaHugePages? ReadPool(string folder, long pageBytes) =>
        TryReadCount($"{folder}/nr_hugepages", out var total) && TryReadCount($"{folder}/free_hugepages", out var free)
            ? new NumaHugePages(pageBytes, total, Math.Min(free, total))
            : null;

    private bool TryReadCount(string file, out long count)
    {
        var reading = files.Sysfs.Read(file);
        if (long.TryParse(reading.Text, NumberStyles.None, CultureInfo.InvariantCulture, out count))
        {
            return true;
        }

        warnings.AddUnlessMissing(reading, "this pool of huge pages is left out");
        return false;
    }

    // Linux before 2.6.32 shows the pool of the default size only, and its page size only for the machine.
    private List<NumaHugePages> ReadMeminfo(FileReading node) =>
        KernelText.TryFindKilobytes(files.Proc.Read("meminfo").Text, "Hugepagesize:", out var pageBytes)
        && KernelText.TryFindNumber(node.Text, "HugePages_Total:", out var total)
        && KernelText.TryFindNumber(node.Text, "HugePages_Free:", out var free)
            ? [new NumaHugePages(pageBytes, total, Math.Min(free, total))]
            : [];

    private static long PageBytesOf(string name) =>
        name.StartsWith(Prefix, StringComparison.Ordinal)
        && name.EndsWith(Unit, StringComparison.Ordinal)
        && name.Length > Prefix.Length + Unit.Length
        && KernelText.TryParseKilobytes(name.AsSpan(Prefix.Length), out var bytes)
            ? bytes
            : 0;
}

/// <summary>Reads firmware's figures for a node's memory (HMAT; Documentation/admin-guide/mm/numaperf.rst).</summary>
internal sealed class MemoryAccessReader(SysfsReader sysfs, TopologyWarnings warnings)
{
    private const int Classes = 2;

    public IReadOnlyList<NumaMemoryAccess> Read(int nodeId) =>
    [
        .. Enumerable.Range(0, Classes)
            .Select(accessClass => ReadClass($"{NodeReader.Folder}/node{nodeId}/access{accessClass}/initiators", accessClass))
            .OfType<NumaMemoryAccess>(),
    ];

    private NumaMemoryAccess? ReadClass(string folder, int accessClass)
    {
        if (!sysfs.DirectoryExists(folder))
        {
            return null;
        }

        var initiators = sysfs.ListNumbered(folder, "node").Where(static id => id < NodeReader.MaxNodes);
        return new NumaMemoryAccess(accessClass, CpuSet.FromIds(initiators))
        {
            ReadLatency = ReadFigure($"{folder}/read_latency"),
            WriteLatency = ReadFigure($"{folder}/write_latency"),
            ReadBandwidth = ReadFigure($"{folder}/read_bandwidth"),
            WriteBandwidth = ReadFigure($"{folder}/write_bandwidth"),
        };
    }

    // The kernel shows all four as soon as firmware gives one, the others as 0.
    private int? ReadFigure(string file)
    {
        var reading = sysfs.Read(file);
        if (int.TryParse(reading.Text, NumberStyles.None, CultureInfo.InvariantCulture, out var figure))
        {
            return figure == 0 ? null : figure;
        }

        warnings.AddUnlessMissing(reading, "the figure is unknown");
        return null;
    }
}

/// <summary>Reads which tier each node's memory is in (Documentation/ABI/testing/sysfs-kernel-mm-memory-tiers).</summary>
internal sealed class MemoryTierReader(SysfsReader sysfs, TopologyWarnings warnings)
{
    private const string Folder = "devices/virtual/memory_tiering";

    /// <summary>The tiers by node id. The kernel has a node in one tier only; of several the fastest counts.</summary>
    public IReadOnlyDictionary<int, int> Read()
    {
        var tiers = new Dictionary<int, int>();
        foreach (var tier in sysfs.ListNumbered(Folder, "memory_tier").Take(NodeReader.MaxNodes))
        {
            var reading = sysfs.Read($"{Folder}/memory_tier{tier}/nodelist");
            if (!reading.Succeeded || !KernelText.TryParseList(reading.Text, out var nodes))
            {
                warnings.AddUnlessMissing(reading, "the tier of its nodes is unknown");
                continue;
            }

            foreach (var node in nodes.TakeWhile(static node => node < NodeReader.MaxNodes))
            {
                tiers.TryAdd(node, tier);
            }
        }

        return tiers;
    }
}

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
            : new NumaNodeStatistics
            {
                MemoryBytes = memory.TotalBytes,
                MemoryFreeBytes = memory.FreeBytes,
                Hit = CounterOf(numastat, "numa_hit"),
                Miss = CounterOf(numastat, "numa_miss"),
                Foreign = CounterOf(numastat, "numa_foreign"),
                InterleaveHit = CounterOf(numastat, "interleave_hit"),
                Local = CounterOf(numastat, "local_node"),
                Other = CounterOf(numastat, "other_node"),
            };
    }

    private static NumaNodeStatistics WithoutCounters(NodeMeminfo memory) =>
        new() { MemoryBytes = memory.TotalBytes, MemoryFreeBytes = memory.FreeBytes };

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
