using System.Text;

namespace NumaSharp.Playground.Udp.Dns;

/// <summary>
/// Names as the wire has them: labels with their lengths, and a zero. They are compared without regard to case.
/// </summary>
internal sealed class DnsName : IEqualityComparer<byte[]>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>
{
    public static DnsName Comparer { get; } = new();

    /// <exception cref="FormatException">It is not a name.</exception>
    public static byte[] Parse(string text)
    {
        var bytes = new List<byte>();
        foreach (var label in text.TrimEnd('.').Split('.'))
        {
            if (label.Length is 0 or > DnsMessage.MaxLabel || !Ascii.IsValid(label))
            {
                throw new FormatException($"'{text}' is not a name: labels have 1 to {DnsMessage.MaxLabel} ASCII characters.");
            }

            bytes.Add((byte)label.Length);
            bytes.AddRange(Encoding.ASCII.GetBytes(label.ToLowerInvariant()));
        }

        bytes.Add(0);
        return bytes.Count <= DnsMessage.MaxName
            ? [.. bytes]
            : throw new FormatException($"'{text}' is not a name: it has more than {DnsMessage.MaxName} bytes.");
    }

    /// <summary>Whether a name is another one, or below it.</summary>
    public static bool IsWithin(ReadOnlySpan<byte> name, ReadOnlySpan<byte> zone)
    {
        while (name.Length > zone.Length)
        {
            name = name[(1 + name[0])..];
        }

        return Ascii.EqualsIgnoreCase(name, zone);
    }

    public bool Equals(byte[]? x, byte[]? y) => Ascii.EqualsIgnoreCase(x, y);

    public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => Ascii.EqualsIgnoreCase(alternate, other);

    public int GetHashCode(byte[] obj) => GetHashCode(obj.AsSpan());

    // FNV-1a over the lower case.
    public int GetHashCode(ReadOnlySpan<byte> alternate)
    {
        var hash = 2166136261;
        foreach (var value in alternate)
        {
            hash = (hash ^ (byte)(value is >= (byte)'A' and <= (byte)'Z' ? value | 0x20 : value)) * 16777619;
        }

        return (int)hash;
    }

    public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();
}
