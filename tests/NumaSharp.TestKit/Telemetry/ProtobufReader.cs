using System.Buffers.Binary;

namespace NumaSharp.TestKit;

/// <summary>The fields of a message (<see href="https://protobuf.dev/programming-guides/encoding/">its encoding</see>).</summary>
public ref struct ProtobufReader(ReadOnlySpan<byte> message)
{
    private ReadOnlySpan<byte> _rest = message;

    /// <summary>The number of the field.</summary>
    public int Field { get; private set; }

    /// <summary>What it has, when that is a number.</summary>
    public ulong Value { get; private set; }

    /// <summary>What it has, when that is a message, text or bytes.</summary>
    public ReadOnlySpan<byte> Bytes { get; private set; }

    /// <summary>Moves to the next field of that number.</summary>
    public bool Next(int field)
    {
        while (Next())
        {
            if (Field == field)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Moves to the next field.</summary>
    public bool Next()
    {
        if (_rest.IsEmpty)
        {
            return false;
        }

        var tag = ReadVariable();
        Field = (int)(tag >> 3);
        Bytes = default;
        Value = 0;
        switch (tag & 7)
        {
            case 0:
                Value = ReadVariable();
                break;
            case 1:
                Value = BinaryPrimitives.ReadUInt64LittleEndian(Take(sizeof(ulong)));
                break;
            case 2:
                Bytes = Take((int)ReadVariable());
                break;
            case 5:
                Value = BinaryPrimitives.ReadUInt32LittleEndian(Take(sizeof(uint)));
                break;
            default:
                throw new InvalidDataException($"There is no wire type {tag & 7}.");
        }

        return true;
    }

    private ReadOnlySpan<byte> Take(int length)
    {
        var taken = _rest[..length];
        _rest = _rest[length..];
        return taken;
    }

    private ulong ReadVariable()
    {
        var value = 0UL;
        for (var shift = 0; ; shift += 7)
        {
            var part = Take(1)[0];
            value |= (part & 0x7FUL) << shift;
            if (part < 0x80)
            {
                return value;
            }
        }
    }
}
