namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>One of the servers that are compared: the same binary with other switches.</summary>
internal sealed record ServerSide(string Name, string RowSuffix, DispatchMode? Dispatch, IReadOnlyList<string> Switches)
{
    private static readonly string[] s_stockSwitches = ["--Numa:Enabled=false"];

    public static ServerSide Stock { get; } = new("stock", string.Empty, null, s_stockSwitches);

    /// <summary>The peer against itself.</summary>
    public static ServerSide StockAgain { get; } = new("stock again", " noise", null, s_stockSwitches);

    public bool IsOurs => Dispatch is not null;

    // The default needs no word of its own in a row's name.
    public static ServerSide Ours(DispatchMode dispatch) => new(
        dispatch.ToString(),
        dispatch == DispatchMode.Adaptive ? string.Empty : $" {dispatch.ToString().ToLowerInvariant()}",
        dispatch,
        ["--Numa:Enabled=true", "--Numa:Transport:Enabled=true", $"--Numa:Transport:Dispatch={dispatch}"]);
}
