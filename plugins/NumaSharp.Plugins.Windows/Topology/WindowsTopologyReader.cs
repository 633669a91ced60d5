using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>Combines Windows' information about processors, nodes, memory and limits.</summary>
internal sealed class WindowsTopologyReader(IProcessorCalls calls)
{
    private const int MaxWarnings = 32;

    private readonly List<string> _warnings = [];

    /// <exception cref="NumaException">Windows reports nothing, or an impossible machine.</exception>
    public static ProcessorInformation ReadProcessors(IProcessorCalls calls)
    {
        var error = calls.GetLogicalProcessorInformation(out var records);
        Win32Results.From(error).ThrowIfFailed("GetLogicalProcessorInformationEx");
        var processors = ProcessorInformationParser.Parse(records);
        return processors.ActiveCpus.IsEmpty
            ? throw new NumaException(
                $"GetLogicalProcessorInformationEx: no active CPU in {records.Length} bytes of records; there must be one.")
            : processors;
    }

    public NumaTopology Read()
    {
        var processors = ReadProcessors(calls);
        var allowed = new ProcessLimits(calls, processors.ActiveCpus).ReadAllowed();
        var cpus = new NodeCpus(calls, processors, _warnings).Read();
        var memory = new NodeMemoryReader(calls, _warnings).Read(cpus);
        var hardware = new HardwareReader(processors, _warnings);
        var (cores, caches) = (hardware.ReadCores(), hardware.ReadLastLevelCaches());
        return new NumaTopology(
            WindowsTopologyProvider.ProviderName,
            cpus.Select(node => MakeNode(node.Key, node.Value, allowed, memory[node.Key])).Where(IsUsable),
            _warnings.Count <= MaxWarnings
                ? _warnings
                : [.. _warnings.Take(MaxWarnings), $"{_warnings.Count - MaxWarnings} more like these."])
        {
            Cores = cores,
            LastLevelCaches = caches,
        };
    }

    private static NumaNode MakeNode(int id, CpuSet cpus, CpuSet allowed, NodeMemorySize memory) => new()
    {
        Id = new(id),
        OnlineCpus = cpus,
        Cpus = cpus.Intersect(allowed),
        MemoryBytes = memory.TotalBytes,
        MemoryFreeBytes = memory.FreeBytes,
        IsMemoryAllowed = memory.HasMemory,
        Kind = cpus.IsEmpty ? NumaNodeKind.Memory : memory.HasMemory ? NumaNodeKind.Normal : NumaNodeKind.Cpu,
    };

    // Not every number up to the highest is a node.
    private static bool IsUsable(NumaNode node) => !node.Cpus.IsEmpty || node.IsMemoryAllowed;
}
