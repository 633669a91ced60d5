using System.Buffers.Binary;
using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;

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

/// <summary>
/// One SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX (winnt.h), as 64-bit processes on x64 and arm64 get it. Its own length is not
/// trusted: every read is checked.
/// </summary>
internal readonly ref struct RelationRecord
{
    private const int HeaderSize = 8;
    private const int AffinitySize = 16;
    private const int GroupInfoSize = 48;
    private const int ActiveMaskOffset = 40;

    private readonly ReadOnlySpan<byte> _bytes;
    private readonly int _offset;

    private RelationRecord(ReadOnlySpan<byte> bytes, int offset)
    {
        _bytes = bytes;
        _offset = offset;
    }

    public RelationKind Kind => (RelationKind)Read32(0);

    public int Size => _bytes.Length;

    /// <summary>The record that starts at an offset of the buffer.</summary>
    /// <exception cref="NumaException">It does not fit.</exception>
    public static RelationRecord At(ReadOnlySpan<byte> buffer, int offset)
    {
        var left = buffer[offset..];
        if (left.Length < HeaderSize)
        {
            throw Malformed(offset, $"{left.Length} bytes are left for a header of {HeaderSize}");
        }

        var size = BinaryPrimitives.ReadUInt32LittleEndian(left[4..]);
        return size >= HeaderSize && size <= left.Length
            ? new RelationRecord(left[..(int)size], offset)
            : throw Malformed(offset, $"Size is {size}; it must be from {HeaderSize} to {left.Length}");
    }

    public byte ReadByte(int offset) => Slice(offset, 1)[0];

    public ushort Read16(int offset) => BinaryPrimitives.ReadUInt16LittleEndian(Slice(offset, 2));

    public uint Read32(int offset) => BinaryPrimitives.ReadUInt32LittleEndian(Slice(offset, 4));

    public ulong Read64(int offset) => BinaryPrimitives.ReadUInt64LittleEndian(Slice(offset, 8));

    /// <summary>
    /// The CPUs of an array of GROUP_AFFINITY. Systems before Windows Server 2022 leave some counts at 0 although there is one
    /// entry.
    /// </summary>
    public CpuSet ReadCpus(int countOffset, int masksOffset)
    {
        var count = Math.Max((int)Read16(countOffset), 1);
        var cpus = CpuSet.Empty;
        for (var i = 0; i < count; i++)
        {
            var affinity = masksOffset + (i * AffinitySize);
            cpus = cpus.Union(SetOf(Read16(affinity + 8), Read64(affinity)));
        }

        return cpus;
    }

    /// <summary>The active CPUs of the groups of a GROUP_RELATIONSHIP.</summary>
    public CpuSet ReadGroups(int countOffset, int groupsOffset)
    {
        var cpus = CpuSet.Empty;
        for (var group = 0; group < Read16(countOffset); group++)
        {
            cpus = cpus.Union(SetOf(group, Read64(groupsOffset + (group * GroupInfoSize) + ActiveMaskOffset)));
        }

        return cpus;
    }

    private static NumaException Malformed(int offset, string what) =>
        new($"GetLogicalProcessorInformationEx: the record at byte {offset} is malformed: {what}.");

    private CpuSet SetOf(int group, ulong mask) => group < CpuNumbers.MaxGroups
        ? CpuNumbers.SetOf(new GroupAffinity((ushort)group, mask))
        : throw Malformed(_offset, $"group {group}; groups are from 0 to {CpuNumbers.MaxGroups - 1}");

    private ReadOnlySpan<byte> Slice(int offset, int length) => offset + length <= _bytes.Length
        ? _bytes.Slice(offset, length)
        : throw Malformed(_offset, $"it is {_bytes.Length} bytes long and must be at least {offset + length}");
}

/// <summary>LOGICAL_PROCESSOR_RELATIONSHIP (winnt.h). Others are skipped.</summary>
internal enum RelationKind
{
    ProcessorCore = 0,
    NumaNode = 1,
    Cache = 2,
    ProcessorPackage = 3,
    Group = 4,
    NumaNodeEx = 6,
}
