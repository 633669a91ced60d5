using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Microsoft.Extensions.Configuration;

namespace NumaSharp.Playground.Udp.Dns;

/// <summary>The records of one zone. Immutable.</summary>
internal sealed class DnsZone
{
    private readonly Dictionary<byte[], DnsRecord[]> _records;
    private readonly Dictionary<byte[], DnsRecord[]>.AlternateLookup<ReadOnlySpan<byte>> _lookup;

    private DnsZone(byte[] name, DnsRecord authority, IEnumerable<(byte[] Name, DnsRecord Record)> records)
    {
        Name = name;
        Authority = authority;
        _records = records.GroupBy(static pair => pair.Name, static pair => pair.Record, DnsName.Comparer)
            .ToDictionary(static group => group.Key, static group => group.ToArray(), DnsName.Comparer);

        // A name that others are below exists, without records of its own (RFC 8020).
        foreach (var owner in _records.Keys.ToArray())
        {
            for (var rest = owner; rest.Length > name.Length; rest = rest[(1 + rest[0])..])
            {
                _records.TryAdd(rest, []);
            }
        }

        _lookup = _records.GetAlternateLookup<ReadOnlySpan<byte>>();
    }

    public byte[] Name { get; }

    /// <summary>Its SOA, which goes with answers that say no.</summary>
    public DnsRecord Authority { get; }

    /// <summary>Reads the section <c>Zone</c>.</summary>
    /// <exception cref="InvalidOperationException">A key is missing, or its value is wrong; the message names it.</exception>
    public static DnsZone Read(IConfigurationSection section)
    {
        var name = Value(section, "Name", DnsName.Parse);
        var server = Value(section, "Server", DnsName.Parse);
        var timeToLive = Value(section, "TimeToLive", static text => uint.Parse(text, null));
        var authority = new DnsRecord(
            DnsMessage.TypeSoa, timeToLive, Authorities(server, Value(section, "Contact", DnsName.Parse), timeToLive));
        return new DnsZone(name, authority,
        [
            (name, authority),
            (name, new DnsRecord(DnsMessage.TypeNs, timeToLive, server)),
            .. section.GetSection("Records").GetChildren().Select(record => ReadRecord(record, name, timeToLive)),
        ]);
    }

    /// <summary>Whether the zone answers for a name.</summary>
    public bool Covers(ReadOnlySpan<byte> name) => DnsName.IsWithin(name, Name);

    /// <summary>The records of a name; <see langword="null"/> when there is no such name.</summary>
    public DnsRecord[]? Find(ReadOnlySpan<byte> name) => _lookup.TryGetValue(name, out var records) ? records : null;

    private static (byte[] Name, DnsRecord Record) ReadRecord(IConfigurationSection record, byte[] zone, uint timeToLive)
    {
        var name = Value(record, "Name", DnsName.Parse);
        if (!DnsName.IsWithin(name, zone))
        {
            throw new InvalidOperationException($"{record.Path}:Name = '{record["Name"]}': must be in the zone");
        }

        var (type, parse) = Value<(ushort, Func<string, byte[]>)>(record, "Type", static text => text switch
        {
            "A" => (DnsMessage.TypeA, static value => AddressOf(value, AddressFamily.InterNetwork)),
            "AAAA" => (DnsMessage.TypeAaaa, static value => AddressOf(value, AddressFamily.InterNetworkV6)),
            "TXT" => (DnsMessage.TypeTxt, TextOf),
            _ => throw new FormatException("must be A, AAAA or TXT"),
        });
        return (name, new DnsRecord(type, timeToLive, Value(record, "Value", parse)));
    }

    private static T Value<T>(IConfigurationSection section, string key, Func<string, T> parse)
    {
        try
        {
            return parse(section[key] ?? throw new FormatException("must be set"));
        }
        catch (Exception exception) when (exception is FormatException or OverflowException)
        {
            throw new InvalidOperationException($"{section.Path}:{key} = '{section[key]}': {exception.Message}", exception);
        }
    }

    private static byte[] AddressOf(string text, AddressFamily family) =>
        IPAddress.TryParse(text, out var address) && address.AddressFamily == family
            ? address.GetAddressBytes()
            : throw new FormatException($"must be an address of {family}");

    private static byte[] TextOf(string text)
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        return bytes.Length <= byte.MaxValue
            ? [(byte)bytes.Length, .. bytes]
            : throw new FormatException("must have 255 bytes at the most");
    }

    // RFC 1035, 3.3.13: names, then serial, refresh, retry, expire and the time to live of answers that say no.
    private static byte[] Authorities(byte[] server, byte[] contact, uint timeToLive)
    {
        var numbers = new byte[20];
        foreach (var (index, number) in ((uint[])[1, 3600, 600, 86_400, timeToLive]).Index())
        {
            BinaryPrimitives.WriteUInt32BigEndian(numbers.AsSpan(index * 4), number);
        }

        return [.. server, .. contact, .. numbers];
    }
}

/// <summary>What a name has.</summary>
/// <param name="Type">The type's number.</param>
/// <param name="TimeToLive">In seconds.</param>
/// <param name="Data">As the wire has it, without compression.</param>
internal sealed record DnsRecord(ushort Type, uint TimeToLive, byte[] Data);
