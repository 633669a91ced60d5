using System.Net;

namespace NumaSharp.Playground.LoadGenerator;

/// <summary>The targets of the load, and its rate: section <c>Load</c>.</summary>
internal sealed class LoadOptions
{
    public const string Section = "Load";
    public const string Allowed =
        "Load: Web takes absolute http addresses, Udp an address with a port such as 127.0.0.1:5007, Rate 1 to 1000.";

    private const int MaxRate = 1000;

    /// <summary>The addresses of web apps.</summary>
    public IList<Uri> Web { get; } = [];

    /// <summary>The address of the UDP echo; nothing is sent when <see langword="null"/>.</summary>
    public string? Udp { get; set; }

    /// <summary>Requests and datagrams per second and address.</summary>
    public int Rate { get; set; } = 50;

    public string? FindMistake() =>
        Web.All(static address => address is { IsAbsoluteUri: true, Scheme: "http" or "https" })
        && (Udp is null || IPEndPoint.TryParse(Udp, out _))
        && Rate is > 0 and <= MaxRate
            ? null
            : Allowed;
}
