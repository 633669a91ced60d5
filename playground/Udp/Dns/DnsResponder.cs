using System.Buffers.Binary;

namespace NumaSharp.Playground.Udp.Dns;

/// <summary>Makes the answer to a query. Allocates nothing.</summary>
internal static class DnsResponder
{
    // A pointer to the name of the question (RFC 1035, 4.1.4).
    private const ushort NameOfQuestion = 0xc000 | DnsMessage.HeaderSize;

    // Root, type, size, extended code, version, flags, no data.
    private const int OptionsSize = 11;

    /// <returns>The answer's length; 0 for what is not answered: whatever is no query.</returns>
    public static int Answer(DnsZone zone, ReadOnlySpan<byte> query, Span<byte> answer)
    {
        if (query.Length < DnsMessage.HeaderSize)
        {
            return 0;
        }

        var flags = BinaryPrimitives.ReadUInt16BigEndian(query[2..]);
        if ((flags & DnsMessage.Response) != 0)
        {
            return 0;
        }

        var kept = (ushort)(flags & (DnsMessage.OpcodeMask | DnsMessage.RecursionDesired));
        query[..2].CopyTo(answer);
        answer[2..DnsMessage.HeaderSize].Clear();
        if ((flags & DnsMessage.OpcodeMask) != 0)
        {
            return End(answer, DnsMessage.HeaderSize, kept, DnsMessage.NotImplemented);
        }

        if (!DnsQuestion.TryRead(query, out var question))
        {
            return End(answer, DnsMessage.HeaderSize, kept, DnsMessage.FormatError);
        }

        question.Whole.CopyTo(answer[DnsMessage.HeaderSize..]);
        Write(answer[4..], 1);
        return AnswerQuestion(zone, question, kept, answer[..question.LargestAnswer]);
    }

    private static int AnswerQuestion(DnsZone zone, in DnsQuestion question, ushort kept, Span<byte> answer)
    {
        var length = DnsMessage.HeaderSize + question.Whole.Length;
        if (question.Version != 0)
        {
            return WriteOptions(answer, length, extended: DnsMessage.BadVersion >> 4, kept, code: DnsMessage.BadVersion & 0xf);
        }

        if (question.Class is not (DnsMessage.ClassInternet or DnsMessage.ClassAny) || !zone.Covers(question.Name))
        {
            return Finish(answer, length, question, kept, DnsMessage.Refused);
        }

        kept |= DnsMessage.Authoritative;
        var records = zone.Find(question.Name);
        var room = answer.Length - (question.HasOptions ? OptionsSize : 0);
        var count = 0;
        foreach (var record in records ?? [])
        {
            if (question.Type != record.Type && question.Type != DnsMessage.TypeAny)
            {
                continue;
            }

            if (!TryWrite(answer[..room], ref length, record, NameOfQuestion))
            {
                kept |= DnsMessage.Truncated;
                break;
            }

            Write(answer[6..], (ushort)++count);
        }

        if (count == 0 && (kept & DnsMessage.Truncated) == 0
            && TryWrite(answer[..room], ref length, zone.Authority, PointerToZone(zone, question)))
        {
            Write(answer[8..], 1);
        }

        return Finish(answer, length, question, kept, records is null ? DnsMessage.NameError : DnsMessage.NoError);
    }

    // The zone's name ends the question's.
    private static ushort PointerToZone(DnsZone zone, in DnsQuestion question) =>
        (ushort)(NameOfQuestion + question.Name.Length - zone.Name.Length);

    private static bool TryWrite(Span<byte> answer, ref int length, DnsRecord record, ushort name)
    {
        const int FixedSize = 12;
        if (answer.Length - length < FixedSize + record.Data.Length)
        {
            return false;
        }

        var target = answer[length..];
        Write(target, name);
        Write(target[2..], record.Type);
        Write(target[4..], DnsMessage.ClassInternet);
        BinaryPrimitives.WriteUInt32BigEndian(target[6..], record.TimeToLive);
        Write(target[10..], (ushort)record.Data.Length);
        record.Data.CopyTo(target[FixedSize..]);
        length += FixedSize + record.Data.Length;
        return true;
    }

    private static int Finish(Span<byte> answer, int length, in DnsQuestion question, ushort kept, ushort code) =>
        question.HasOptions ? WriteOptions(answer, length, extended: 0, kept, code) : End(answer, length, kept, code);

    private static int WriteOptions(Span<byte> answer, int length, byte extended, ushort kept, ushort code)
    {
        var target = answer.Slice(length, OptionsSize);
        target.Clear();
        Write(target[1..], DnsMessage.TypeOpt);
        Write(target[3..], DnsMessage.LargestAnswer);
        target[5] = extended;
        Write(answer[10..], 1);
        return End(answer, length + OptionsSize, kept, code);
    }

    private static int End(Span<byte> answer, int length, ushort kept, ushort code)
    {
        Write(answer[2..], (ushort)(DnsMessage.Response | kept | code));
        return length;
    }

    private static void Write(Span<byte> target, ushort value) => BinaryPrimitives.WriteUInt16BigEndian(target, value);
}
