using System.Net;
using NumaSharp.Playground.Benchmarks.Udp.Engines;

namespace NumaSharp.Playground.Benchmarks.Udp;

/// <summary>One of the ways that are compared, each in a process of its own.</summary>
/// <param name="Name">On the command line, and in rows.</param>
/// <param name="Create">Makes it.</param>
internal sealed record UdpSide(string Name, Func<IPAddress, IUdpEngine> Create)
{
    public static readonly UdpSide Naive = new("naive", static address => new NaiveEngine(address));
    public static readonly UdpSide Pooled = new("pooled", static address => new PooledEngine(address));
    public static readonly UdpSide Address = new("address", static address => new AddressEngine(address));
    public static readonly UdpSide Tuned = new("tuned", static address => new AddressEngine(address))
    {
        Environment = new Dictionary<string, string> { ["DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS"] = "1" },
    };
    public static readonly UdpSide Blocking = new("blocking", static address => new BlockingEngine(address));
    public static readonly UdpSide Ours = new("ours", static address => new NumaEngine(address, offload: false));
    public static readonly UdpSide Offload = new("ours-offload", static address => new NumaEngine(address, offload: true));
    public static readonly UdpSide Coalescing = new(
        "ours-coalescing", static address => new NumaEngine(address, offload: false, TimeSpan.FromMicroseconds(200)));

    public static IReadOnlyList<UdpSide> All { get; } =
        [Naive, Pooled, Address, Tuned, Blocking, Ours, Offload, Coalescing];

    /// <summary>Of its process, beside what it inherits.</summary>
    public IReadOnlyDictionary<string, string> Environment { get; private init; } = new Dictionary<string, string>();

    public static UdpSide Of(string name) => All.Single(side => side.Name == name);

    public override string ToString() => Name;
}
