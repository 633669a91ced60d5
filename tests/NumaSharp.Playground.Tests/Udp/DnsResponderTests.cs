extern alias udp;

using System.Buffers.Binary;
using Microsoft.Extensions.Configuration;
using udp::NumaSharp.Playground.Udp.Dns;

namespace NumaSharp.Playground.Tests.Udp;

public sealed class DnsResponderTests
{
    private static readonly DnsZone s_zone = DnsZone.Read(Section([
        ("Name", "numa.test"), ("Server", "ns1.numa.test"), ("Contact", "hostmaster.numa.test"), ("TimeToLive", "300"),
        ("Records:0:Name", "www.numa.test"), ("Records:0:Type", "A"), ("Records:0:Value", "192.0.2.10"),
        ("Records:1:Name", "WWW.numa.test."), ("Records:1:Type", "AAAA"), ("Records:1:Value", "2001:db8::10"),
        ("Records:2:Name", "a.b.numa.test"), ("Records:2:Type", "TXT"), ("Records:2:Value", "text"),
        .. Enumerable.Range(3, 60).SelectMany(static i => new[]
        {
            ($"Records:{i}:Name", "many.numa.test"), ($"Records:{i}:Type", "AAAA"), ($"Records:{i}:Value", $"2001:db8::{i:x}"),
        })]));

    [Theory]
    [InlineData("www.numa.test", DnsMessage.TypeA, DnsMessage.NoError, 1, 0)]
    [InlineData("WwW.NUMA.test", DnsMessage.TypeAaaa, DnsMessage.NoError, 1, 0)]
    [InlineData("www.numa.test", DnsMessage.TypeAny, DnsMessage.NoError, 2, 0)]
    [InlineData("www.numa.test", DnsMessage.TypeTxt, DnsMessage.NoError, 0, 1)]
    [InlineData("numa.test", DnsMessage.TypeSoa, DnsMessage.NoError, 1, 0)]
    [InlineData("numa.test", DnsMessage.TypeNs, DnsMessage.NoError, 1, 0)]
    [InlineData("b.numa.test", DnsMessage.TypeA, DnsMessage.NoError, 0, 1)]
    [InlineData("nobody.numa.test", DnsMessage.TypeA, DnsMessage.NameError, 0, 1)]
    [InlineData("www.other.test", DnsMessage.TypeA, DnsMessage.Refused, 0, 0)]
    [InlineData("xnuma.test", DnsMessage.TypeA, DnsMessage.Refused, 0, 0)]
    public void Answer_OfAQuestion_IsWhatTheZoneSays(string name, ushort type, ushort code, int answers, int authorities)
    {
        var answer = Ask(Query(name, type));
        Assert.Equal((code, answers, authorities), (Flags(answer) & 0xf, Count(answer, 6), Count(answer, 8)));
        Assert.Equal(code != DnsMessage.Refused, (Flags(answer) & DnsMessage.Authoritative) != 0);
        Assert.Equal((0xabcd, 1), (Count(answer, 0), Count(answer, 4)));
        Assert.Equal(DnsMessage.Response | DnsMessage.RecursionDesired,
            Flags(answer) & (DnsMessage.Response | DnsMessage.RecursionDesired));
    }

    [Fact]
    public void Answer_AddressRecord_HasItsBytes()
    {
        var answer = Ask(Query("www.numa.test", DnsMessage.TypeA));
        Assert.Equal([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 1, 0x2c, 0, 4, 192, 0, 2, 10], answer[^16..]);
    }

    [Fact]
    public void Answer_MoreThanThereIsRoomFor_IsTruncatedWhereverItEnds()
    {
        var ordinary = Ask(Query("many.numa.test", DnsMessage.TypeAaaa));
        Assert.InRange(ordinary.Length, 480, DnsMessage.OrdinaryAnswer);
        Assert.NotEqual(0, Flags(ordinary) & DnsMessage.Truncated);
        Assert.Equal((ordinary.Length - 32) / 28, Count(ordinary, 6));

        var extended = Ask(
            [.. Query("many.numa.test", DnsMessage.TypeAaaa, additional: 1), 0, 0, 41, 0xff, 0xff, 0, 0, 0, 0, 0, 0]);
        Assert.InRange(extended.Length, 1200, DnsMessage.LargestAnswer);
        Assert.Equal((1, 41), (Count(extended, 10), extended[^9]));
        Assert.NotEqual(0, Flags(extended) & DnsMessage.Truncated);
    }

    [Fact]
    public void Answer_VersionOfEdnsThatIsNotKnown_SaysSo()
    {
        var answer = Ask([.. Query("www.numa.test", DnsMessage.TypeA, additional: 1), 0, 0, 41, 2, 0, 0, 7, 0, 0, 0, 0]);
        Assert.Equal((0, 0, 1), (Flags(answer) & 0xf, Count(answer, 6), answer[^6]));
    }

    [Fact]
    public void Answer_WhatIsNoQuery_IsNone()
    {
        Assert.Empty(Ask([]));
        Assert.Empty(Ask(new byte[11]));
        var response = Query("www.numa.test", DnsMessage.TypeA);
        response[2] |= 0x80;
        Assert.Empty(Ask(response));
    }

    [Fact]
    public void Answer_WrongQueries_AreErrorsWithTheirNumber()
    {
        var query = Query("www.numa.test", DnsMessage.TypeA);
        Assert.Equal(DnsMessage.FormatError, Flags(Ask(query[..^1])) & 0xf);
        Assert.Equal(DnsMessage.FormatError, Flags(Ask(new byte[12])) & 0xf);
        Assert.Equal(DnsMessage.FormatError, Flags(Ask([.. query[..12], 0xc0, 0x0c, 0, 1, 0, 1])) & 0xf);
        query[2] |= 0x28;
        Assert.Equal(DnsMessage.NotImplemented, Flags(Ask(query)) & 0xf);
        Assert.Equal(0xabcd, Count(Ask(query), 0));
    }

    [Fact]
    public void Answer_AnyBytes_NeverFails()
    {
        var random = new Random(1);
        for (var i = 0; i < 200_000; i++)
        {
            var query = Query(
                i % 2 == 0 ? "www.numa.test" : "many.numa.test", (ushort)random.Next(260), additional: i % 3 == 0 ? 1 : 0);
            Array.Resize(ref query, Math.Max(0, query.Length + random.Next(-30, 30)));
            for (var change = random.Next(6); change > 0 && query.Length > 0; change--)
            {
                query[random.Next(query.Length)] = (byte)random.Next(256);
            }

            Assert.InRange(Ask(query).Length, 0, DnsMessage.LargestAnswer);
        }
    }

    [Theory]
    [InlineData("Zone:Records:0:Name = 'www.other.test': must be in the zone", "Name", "www.other.test")]
    [InlineData("Zone:Records:0:Type = 'MX': must be A, AAAA or TXT", "Type", "MX")]
    [InlineData("Zone:Records:0:Value = '::1': must be an address of InterNetwork", "Value", "::1")]
    [InlineData("Zone:Records:0:Value = '': must be an address of InterNetwork", "Value", "")]
    public void Read_WrongRecord_NamesTheKey(string message, string key, string value)
    {
        var good = new Dictionary<string, string>
        {
            ["Name"] = "www.numa.test",
            ["Type"] = "A",
            ["Value"] = "192.0.2.1",
            [key] = value,
        };
        var section = Section([
            ("Name", "numa.test"), ("Server", "ns1.numa.test"), ("Contact", "c.numa.test"), ("TimeToLive", "1"),
            .. good.Select(static pair => ($"Records:0:{pair.Key}", pair.Value))]);
        Assert.Equal(message, Assert.Throws<InvalidOperationException>(() => DnsZone.Read(section)).Message);
    }

    private static byte[] Query(string name, ushort type, int additional = 0) =>
        [0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, (byte)additional, .. DnsName.Parse(name), (byte)(type >> 8), (byte)type, 0, 1];

    private static byte[] Ask(byte[] query)
    {
        var answer = new byte[DnsMessage.LargestAnswer];
        return answer[..DnsResponder.Answer(s_zone, query, answer)];
    }

    private static int Flags(byte[] answer) => Count(answer, 2);

    private static int Count(byte[] answer, int offset) => BinaryPrimitives.ReadUInt16BigEndian(answer.AsSpan(offset));

    private static IConfigurationSection Section(params (string Key, string Value)[] keys) =>
        new ConfigurationBuilder()
            .AddInMemoryCollection(keys.Select(static pair => KeyValuePair.Create($"Zone:{pair.Key}", (string?)pair.Value)))
            .Build().GetSection("Zone");
}
