using System.Buffers.Binary;

namespace NumaSharp.Plugins.Windows.Tests.Support;

/// <summary>Builds the records of GetLogicalProcessorInformationEx by hand, byte for byte as winnt.h lays them out.</summary>
internal sealed class RecordBuilder
{
    private const int HeaderSize = 8;
    private const int AffinitySize = 16;
    private const int GroupInfoSize = 48;

    private readonly List<byte> _bytes = [];

    public RecordBuilder Core(params (int Group, ulong Mask)[] masks) => Processor(0, masks);

    public RecordBuilder Package(params (int Group, ulong Mask)[] masks) => Processor(3, masks);

    /// <summary>A node as Windows Server 2022 reports it, all groups counted.</summary>
    public RecordBuilder Node(uint number, params (int Group, ulong Mask)[] masks) => Node(number, 1, masks.Length, masks);

    /// <summary>A node as earlier systems tell it: one group, which is not counted.</summary>
    public RecordBuilder EarlierNode(uint number, int group, ulong mask) => Node(number, 1, 0, (group, mask));

    public RecordBuilder Node(uint number, uint relation, int count, params (int Group, ulong Mask)[] masks)
    {
        var body = Masks(24, masks);
        BinaryPrimitives.WriteUInt32LittleEndian(body, number);
        BinaryPrimitives.WriteUInt16LittleEndian(body.AsSpan(22), (ushort)count);
        return Raw(relation, body);
    }

    /// <summary>Types: 0 unified, 1 instructions, 2 data.</summary>
    public RecordBuilder Cache(byte level, uint type, uint size, params (int Group, ulong Mask)[] masks)
    {
        var body = Masks(32, masks);
        body[0] = level;
        BinaryPrimitives.WriteUInt32LittleEndian(body.AsSpan(4), size);
        BinaryPrimitives.WriteUInt32LittleEndian(body.AsSpan(8), type);
        BinaryPrimitives.WriteUInt16LittleEndian(body.AsSpan(30), (ushort)masks.Length);
        return Raw(2, body);
    }

    public RecordBuilder Groups(params ulong[] activeMasks)
    {
        var body = new byte[24 + (activeMasks.Length * GroupInfoSize)];
        BinaryPrimitives.WriteUInt16LittleEndian(body, (ushort)(activeMasks.Length + 1));
        BinaryPrimitives.WriteUInt16LittleEndian(body.AsSpan(2), (ushort)activeMasks.Length);
        for (var group = 0; group < activeMasks.Length; group++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(body.AsSpan(24 + (group * GroupInfoSize) + 40), activeMasks[group]);
        }

        return Raw(4, body);
    }

    public RecordBuilder Raw(uint relation, byte[] body)
    {
        var header = new byte[HeaderSize];
        BinaryPrimitives.WriteUInt32LittleEndian(header, relation);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(4), (uint)(HeaderSize + body.Length));
        _bytes.AddRange(header);
        _bytes.AddRange(body);
        return this;
    }

    public byte[] ToArray() => [.. _bytes];

    private static byte[] Masks(int offset, (int Group, ulong Mask)[] masks)
    {
        var body = new byte[offset + (masks.Length * AffinitySize)];
        for (var i = 0; i < masks.Length; i++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(body.AsSpan(offset + (i * AffinitySize)), masks[i].Mask);
            BinaryPrimitives.WriteUInt16LittleEndian(body.AsSpan(offset + (i * AffinitySize) + 8), (ushort)masks[i].Group);
        }

        return body;
    }

    private RecordBuilder Processor(uint relation, (int Group, ulong Mask)[] masks)
    {
        var body = Masks(24, masks);
        BinaryPrimitives.WriteUInt16LittleEndian(body.AsSpan(22), (ushort)masks.Length);
        return Raw(relation, body);
    }
}
