using NumaSharp.Core;

namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>The records of GetLogicalProcessorInformationEx, in their order and not yet checked for consistency.</summary>
/// <param name="ActiveCpus">The active CPUs.</param>
/// <param name="Nodes">The CPUs of nodes with CPUs, by id.</param>
/// <param name="Packages">The CPUs of each package.</param>
/// <param name="Cores">The CPUs of each core.</param>
/// <param name="Caches">The data caches, of all levels.</param>
internal sealed record ProcessorInformation(
    CpuSet ActiveCpus,
    IReadOnlyDictionary<int, CpuSet> Nodes,
    IReadOnlyList<CpuSet> Packages,
    IReadOnlyList<CpuSet> Cores,
    IReadOnlyList<ProcessorCache> Caches);

/// <summary>A cache that holds data.</summary>
/// <param name="Level">1 to 4 in practice.</param>
/// <param name="SizeBytes">Its size.</param>
/// <param name="Cpus">The CPUs that share it.</param>
internal sealed record ProcessorCache(int Level, long SizeBytes, CpuSet Cpus);

/// <summary>Parses the records of GetLogicalProcessorInformationEx. Pure; offsets are those of winnt.h.</summary>
internal sealed class ProcessorInformationParser
{
    // PROCESSOR_RELATIONSHIP and NUMA_NODE_RELATIONSHIP have their masks at the same offset.
    private const int CountOffset = 30;
    private const int MasksOffset = 32;

    private const int NodeNumberOffset = 8;
    private const int CacheLevelOffset = 8;
    private const int CacheSizeOffset = 12;
    private const int CacheTypeOffset = 16;
    private const int CacheCountOffset = 38;
    private const int CacheMasksOffset = 40;
    private const int CacheUnified = 0;
    private const int CacheData = 2;
    private const int GroupCountOffset = 10;
    private const int GroupsOffset = 32;

    private readonly SortedDictionary<int, CpuSet> _nodes = [];
    private readonly List<CpuSet> _packages = [];
    private readonly List<CpuSet> _cores = [];
    private readonly List<ProcessorCache> _caches = [];
    private CpuSet _active = CpuSet.Empty;

    private ProcessorInformationParser()
    {
    }

    /// <exception cref="NumaException">A record contradicts its own length, or names an impossible group or node.</exception>
    public static ProcessorInformation Parse(ReadOnlySpan<byte> buffer)
    {
        var parser = new ProcessorInformationParser();
        for (var offset = 0; offset < buffer.Length;)
        {
            var record = RelationRecord.At(buffer, offset);
            parser.Add(record);
            offset += record.Size;
        }

        return new ProcessorInformation(parser._active, parser._nodes, parser._packages, parser._cores, parser._caches);
    }

    private void Add(RelationRecord record)
    {
        switch (record.Kind)
        {
            case RelationKind.ProcessorCore:
                _cores.Add(record.ReadCpus(CountOffset, MasksOffset));
                break;
            case RelationKind.NumaNode or RelationKind.NumaNodeEx:
                AddNode(record);
                break;
            case RelationKind.Cache:
                AddCache(record);
                break;
            case RelationKind.ProcessorPackage:
                _packages.Add(record.ReadCpus(CountOffset, MasksOffset));
                break;
            case RelationKind.Group:
                _active = _active.Union(record.ReadGroups(GroupCountOffset, GroupsOffset));
                break;
            default:
                // Dies, modules, and additions of later versions.
                break;
        }
    }

    private void AddNode(RelationRecord record)
    {
        var number = record.Read32(NodeNumberOffset);
        if (number > CpuSet.MaxId)
        {
            throw new NumaException(
                $"GetLogicalProcessorInformationEx: node {number} is out of range; nodes are from 0 to {CpuSet.MaxId}.");
        }

        var cpus = record.ReadCpus(CountOffset, MasksOffset);
        _nodes[(int)number] = _nodes.TryGetValue((int)number, out var others) ? others.Union(cpus) : cpus;
    }

    private void AddCache(RelationRecord record)
    {
        if (record.Read32(CacheTypeOffset) is CacheUnified or CacheData)
        {
            _caches.Add(new ProcessorCache(
                record.ReadByte(CacheLevelOffset),
                record.Read32(CacheSizeOffset),
                record.ReadCpus(CacheCountOffset, CacheMasksOffset)));
        }
    }
}
