using System.Buffers.Binary;
using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Topology;

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
