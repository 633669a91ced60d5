namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>One of the servers that are compared: the same binary with other switches.</summary>
/// <param name="Name">Its name in messages.</param>
/// <param name="RowSuffix">Last part of its rows' names.</param>
/// <param name="Dispatch">Of our transport; null for Kestrel's sockets.</param>
/// <param name="Switches">On its command line.</param>
internal sealed record ServerSide(string Name, string RowSuffix, DispatchMode? Dispatch, IReadOnlyList<string> Switches)
{
    private static readonly string[] s_stockSwitches = ["--Numa:Enabled=false"];

    public static ServerSide Stock { get; } = new("stock", string.Empty, null, s_stockSwitches);

    /// <summary>The peer against itself.</summary>
    public static ServerSide StockAgain { get; } = new("stock again", " noise", null, s_stockSwitches);

    /// <summary>The peer with the application inline, as fast as it can be, and as unsafe as our own Inline.</summary>
    public static ServerSide SocketsInline { get; } =
        new("sockets inline", " sockets-inline", null, [.. s_stockSwitches, "--Sockets:Inline=true"])
        {
            Environment = new Dictionary<string, string> { ["DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS"] = "1" },
        };

    /// <summary>Of its process, beside what it inherits.</summary>
    public IReadOnlyDictionary<string, string> Environment { get; private init; } = new Dictionary<string, string>();

    /// <summary>The folder of its program; null for this build's.</summary>
    public string? Folder { get; private init; }

    public bool IsOurs => Dispatch is not null;

    /// <summary>For comparison only: no server that may block should run this way.</summary>
    public bool IsReference => this == SocketsInline || Dispatch == DispatchMode.Inline;

    /// <summary>The default of our transport, or the peer again.</summary>
    public bool IsDefault => !IsReference && Dispatch is null or DispatchMode.Adaptive;

    /// <summary>The same of another build, whose benchmarks are this program.</summary>
    public ServerSide Of(FileInfo build) => this with { Name = $"{Name} of the earlier build", Folder = build.DirectoryName };

    // The default needs no word of its own in a row's name.
    public static ServerSide Ours(DispatchMode dispatch) => new(
        dispatch.ToString(),
        dispatch == DispatchMode.Adaptive ? string.Empty : $" {dispatch.ToString().ToLowerInvariant()}",
        dispatch,
        ["--Numa:Enabled=true", "--Numa:Transport:Enabled=true", $"--Numa:Transport:Dispatch={dispatch}"]);
}
