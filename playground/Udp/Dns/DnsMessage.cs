namespace NumaSharp.Playground.Udp.Dns;

/// <summary>The numbers of RFC 1035 and RFC 6891 that the responder uses.</summary>
internal static class DnsMessage
{
    public const int HeaderSize = 12;

    /// <summary>Without EDNS (RFC 1035, 2.3.4).</summary>
    public const int OrdinaryAnswer = 512;

    /// <summary>With EDNS: what passes everywhere unfragmented (DNS flag day 2020).</summary>
    public const int LargestAnswer = 1232;

    public const int MaxName = 255;
    public const int MaxLabel = 63;

    public const ushort Response = 0x8000;
    public const ushort OpcodeMask = 0x7800;
    public const ushort Authoritative = 0x0400;
    public const ushort Truncated = 0x0200;
    public const ushort RecursionDesired = 0x0100;

    public const ushort NoError = 0;
    public const ushort FormatError = 1;
    public const ushort NameError = 3;
    public const ushort NotImplemented = 4;
    public const ushort Refused = 5;
    public const ushort BadVersion = 16;

    public const ushort TypeA = 1;
    public const ushort TypeNs = 2;
    public const ushort TypeSoa = 6;
    public const ushort TypeTxt = 16;
    public const ushort TypeAaaa = 28;
    public const ushort TypeOpt = 41;
    public const ushort TypeAny = 255;

    public const ushort ClassInternet = 1;
    public const ushort ClassAny = 255;
}
