namespace NumaSharp.Playground.Benchmarks.Http.Stops;

/// <summary>What a run does: per protocol the sides of which the filter leaves a row.</summary>
internal sealed class StopPlan
{
    private const int QuickRounds = 5;
    private const int FullRounds = 20;

    // Starting a server, asking it for everything, and stopping it.
    private static readonly TimeSpan s_round = TimeSpan.FromSeconds(2.5);

    private readonly BenchmarkOptions _options;
    private readonly ServerSide[] _asked;

    public StopPlan(BenchmarkOptions options)
    {
        _options = options;
        _asked = options.NoiseFloor ? [ServerSide.StockAgain] : [.. options.Dispatch.Select(ServerSide.Ours)];
        Rounds = options.Quick ? QuickRounds : FullRounds;
        Protocols = [.. StopProtocol.All.Where(protocol => Sides(protocol).Any())];
        if (Protocols.Count == 0)
        {
            throw options.NoRow();
        }
    }

    public static IReadOnlyList<DispatchMode> DefaultDispatch { get; } = Enum.GetValues<DispatchMode>();

    public int Rounds { get; }

    public IReadOnlyList<StopProtocol> Protocols { get; }

    public TimeSpan Budget => Protocols.Sum(protocol => Sides(protocol).Count() + 1) * Rounds * s_round;

    /// <summary>Without the peer.</summary>
    public IEnumerable<ServerSide> Sides(StopProtocol protocol) => _asked.Where(side => Rows(protocol, side).Any());

    public IEnumerable<StopRow> Rows(StopProtocol protocol, ServerSide side) => StopRow.All.Where(row =>
        row.Exists(protocol) && _options.Includes(row.NameOf(protocol, side)));
}
