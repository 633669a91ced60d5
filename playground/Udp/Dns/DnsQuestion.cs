using System.Buffers.Binary;

namespace NumaSharp.Playground.Udp.Dns;

/// <summary>A query that was read; spans of the datagram.</summary>
internal readonly ref struct DnsQuestion
{
    private DnsQuestion(ReadOnlySpan<byte> name, ReadOnlySpan<byte> whole, ushort type, ushort classCode)
    {
        Name = name;
        Whole = whole;
        Type = type;
        Class = classCode;
    }

    /// <summary>The name as it was sent: labels with their lengths.</summary>
    public ReadOnlySpan<byte> Name { get; }

    /// <summary>The question as it was sent.</summary>
    public ReadOnlySpan<byte> Whole { get; }

    public ushort Type { get; }

    public ushort Class { get; }

    /// <summary>Whether the query has EDNS.</summary>
    public bool HasOptions { get; private init; }

    /// <summary>The version of EDNS.</summary>
    public byte Version { get; private init; }

    /// <summary>The largest answer that the asker takes.</summary>
    public int LargestAnswer { get; private init; }

    /// <summary>Reads the one question, and what EDNS says behind it.</summary>
    /// <returns>False when it is not as it must be.</returns>
    public static bool TryRead(ReadOnlySpan<byte> query, out DnsQuestion question)
    {
        question = default;
        var (questions, answers, authorities, additional) = (Count(query, 4), Count(query, 6), Count(query, 8), Count(query, 10));
        var body = query[DnsMessage.HeaderSize..];
        if (questions != 1 || answers + authorities != 0 || additional > 1
            || !TryReadName(body, out var nameLength) || body.Length < nameLength + 4)
        {
            return false;
        }

        var whole = body[..(nameLength + 4)];
        question = new DnsQuestion(
            whole[..nameLength],
            whole,
            BinaryPrimitives.ReadUInt16BigEndian(whole[nameLength..]),
            BinaryPrimitives.ReadUInt16BigEndian(whole[(nameLength + 2)..]))
        {
            LargestAnswer = DnsMessage.OrdinaryAnswer,
        };
        return additional == 0 || TryReadOptions(body[whole.Length..], ref question);
    }

    // RFC 6891, 6.1.2: the root's name, the type, the size, extended code, version, flags, the length of the data.
    private static bool TryReadOptions(ReadOnlySpan<byte> record, ref DnsQuestion question)
    {
        const int FixedSize = 11;
        if (record.Length < FixedSize || record[0] != 0
            || BinaryPrimitives.ReadUInt16BigEndian(record[1..]) != DnsMessage.TypeOpt
            || record.Length < FixedSize + BinaryPrimitives.ReadUInt16BigEndian(record[9..]))
        {
            return false;
        }

        question = new DnsQuestion(question.Name, question.Whole, question.Type, question.Class)
        {
            HasOptions = true,
            Version = record[6],
            LargestAnswer = Math.Clamp(
                (int)BinaryPrimitives.ReadUInt16BigEndian(record[3..]), DnsMessage.OrdinaryAnswer, DnsMessage.LargestAnswer),
        };
        return true;
    }

    // A question's name is never compressed: there is nothing before it.
    private static bool TryReadName(ReadOnlySpan<byte> body, out int length)
    {
        length = 0;
        while (length < body.Length && length < DnsMessage.MaxName)
        {
            var label = body[length];
            length += 1 + label;
            if (label == 0)
            {
                return true;
            }

            if (label > DnsMessage.MaxLabel)
            {
                return false;
            }
        }

        return false;
    }

    private static int Count(ReadOnlySpan<byte> query, int offset) => BinaryPrimitives.ReadUInt16BigEndian(query[offset..]);
}
