using NumaSharp.Playground.Benchmarks.Udp.Engines;

namespace NumaSharp.Playground.Benchmarks.Udp;

/// <summary>One of the ways that are compared, each in a process of its own.</summary>
/// <param name="Name">On the command line, and in rows.</param>
/// <param name="Create">Makes it.</param>
internal sealed record UdpSide(string Name, Func<IUdpEngine> Create)
{
    public static readonly UdpSide Naive = new("naive", static () => new NaiveEngine());
    public static readonly UdpSide Pooled = new("pooled", static () => new PooledEngine());
    public static readonly UdpSide Address = new("address", static () => new AddressEngine());
    public static readonly UdpSide Tuned = new("tuned", static () => new AddressEngine())
    {
        Environment = new Dictionary<string, string> { ["DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS"] = "1" },
    };
    public static readonly UdpSide Blocking = new("blocking", static () => new BlockingEngine());
    public static readonly UdpSide Ours = new("ours", static () => new NumaEngine(offload: false));
    public static readonly UdpSide Offload = new("ours-offload", static () => new NumaEngine(offload: true));
    public static readonly UdpSide Coalescing = new(
        "ours-coalescing", static () => new NumaEngine(offload: false, TimeSpan.FromMicroseconds(200)));

    public static IReadOnlyList<UdpSide> All { get; } =
        [Naive, Pooled, Address, Tuned, Blocking, Ours, Offload, Coalescing];

    /// <summary>Of its process, beside what it inherits.</summary>
    public IReadOnlyDictionary<string, string> Environment { get; private init; } = new Dictionary<string, string>();

    public static UdpSide Of(string name) => All.Single(side => side.Name == name);

    public override string ToString() => Name;
}
