using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Http.Resident;
using NumaSharp.Playground.Benchmarks.Http.Stalls;
using NumaSharp.Playground.Benchmarks.Processes;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>What a run does: the sides, and the scenarios with those rows that the filter leaves.</summary>
internal sealed class HttpPlan
{
    private readonly BenchmarkOptions _options;

    public HttpPlan(BenchmarkOptions options)
    {
        _options = options;
        Lengths = options.Quick ? HttpRunLengths.Quick : HttpRunLengths.Full;
        ServerSide[] asked = options.NoiseFloor
            ? [ServerSide.StockAgain]
            : [.. options.SocketsInline && options.Earlier is null ? [ServerSide.SocketsInline] : Array.Empty<ServerSide>(),
                .. options.Dispatch.Select(ServerSide.Ours)];
        var scenarios = HttpScenarios.All;
        if (options.IsShort)
        {
            asked = [.. asked.Where(static side => !side.IsReference)];
            scenarios = [.. scenarios.Where(static scenario => scenario.IsOfShortRuns)];
        }

        Challengers = [.. asked.Where(side => IncludesIdle(side) || scenarios.Any(one => Runs(one, side, asked)))];
        Scenarios = [.. scenarios.Where(scenario => Sides(scenario).Any())];
        if (!options.IsShort && options.Earlier is null)
        {
            Memory = HttpMemory.Of(asked.FirstOrDefault(static side => side.IsOurs), options.Includes);
            Stalls = HttpStalls.Of(asked, options.Includes);
        }

        if (Challengers.Count == 0 && Memory.Count == 0 && Stalls is null)
        {
            throw options.NoRow();
        }
    }

    /// <summary>Those that have requirements.</summary>
    public static IReadOnlyList<DispatchMode> DefaultDispatch { get; } =
        [DispatchMode.Adaptive, DispatchMode.Inline, DispatchMode.Node];

    public HttpRunLengths Lengths { get; }

    /// <summary>The sides that run beside the peer during the whole run; none when only memory is looked at.</summary>
    public IReadOnlyList<ServerSide> Challengers { get; }

    public IReadOnlyList<HttpScenario> Scenarios { get; }

    /// <summary>The rows about memory, which need servers of their own.</summary>
    public IReadOnlyList<HttpMemory> Memory { get; } = [];

    /// <summary>The rows about handlers that block their thread, on a server of their own; null for none.</summary>
    public HttpStalls? Stalls { get; }

    /// <summary>The settings in which a load's rate is a share of what stock sockets take.</summary>
    public IEnumerable<ServerSetting> CapacitySettings =>
        Scenarios.Where(static scenario => scenario.NeedsCapacity).Select(static scenario => scenario.Setting).Distinct();

    public TimeSpan Budget =>
        Memory.Aggregate(Lengths.Budget(Runs()), static (sum, memory) => sum + memory.Budget)
        + (Stalls?.Budget(Lengths) ?? TimeSpan.Zero);

    public static string IdleRow(ServerSide side) => $"idle cpu{side.RowSuffix}";

    /// <summary>The server that a challenger is compared with.</summary>
    public ServerSide PeerOf(ServerSide side) => _options.Earlier is { } build ? side.Of(build) : ServerSide.Stock;

    /// <summary>What a row requires: of another build nothing, for the comparison decides what is slower.</summary>
    public RowTarget TargetOf(HttpScenario scenario, HttpMetric metric, ServerSide side) =>
        _options.Earlier is null ? metric.Target(scenario.TargetsOf(side)) : default;

    /// <summary>Those of all these challengers.</summary>
    public IReadOnlyList<ServerSide> PeersOf(IEnumerable<ServerSide> sides) => [.. sides.Select(PeerOf).Distinct()];

    /// <summary>The challengers that a scenario is run with.</summary>
    public IEnumerable<ServerSide> Sides(HttpScenario scenario) =>
        Challengers.Where(side => Runs(scenario, side, Challengers));

    public IEnumerable<HttpMetric> Metrics(HttpScenario scenario, ServerSide side) => IsCompared(scenario, side)
        ? HttpMetric.All.Where(metric => metric.Exists(scenario) && _options.Includes(scenario.RowName(metric, side)))
        : [];

    /// <summary>The challengers that run in a setting.</summary>
    public IEnumerable<ServerSide> Sides(ServerSetting setting) => Challengers.Where(side =>
        (setting == ServerSetting.Usual && IncludesIdle(side))
        || Scenarios.Any(scenario => scenario.Setting == setting && Sides(scenario).Contains(side)));

    /// <summary>The names of a scenario's rows.</summary>
    public IEnumerable<string> RowNames(HttpScenario scenario) =>
    [
        .. from side in Sides(scenario)
           from metric in Metrics(scenario, side)
           select scenario.RowName(metric, side),
        .. References(scenario, Challengers).Select(static reference => reference.Row.Name),
    ];

    /// <summary>Why this machine cannot have the rows of a scenario; null when it can.</summary>
    public string? LeftOut(HttpScenario scenario) =>
        DescriptorLimit.LeftOut(RowNames(scenario), scenario.Load.Connections);

    public bool IncludesIdle(ServerSide side) => side.IsOurs && _options.Includes(IdleRow(side));

    /// <summary>Adaptive and those sides that it is compared with in the same rounds.</summary>
    public IEnumerable<(ReferenceRow Row, ServerSide Adaptive, ServerSide Reference)> References(
        HttpScenario scenario, IEnumerable<ServerSide> sides) =>
        from row in _options.Earlier is null ? scenario.ReferenceRows : []
        where _options.Includes(row.Name)
        from adaptive in sides
        where adaptive.Dispatch == DispatchMode.Adaptive
        from reference in sides
        where reference.Name == row.Reference
        select (row, adaptive, reference);

    /// <summary>Fails, naming the packages, when a load generator of this plan is not installed.</summary>
    public void RequireTools()
    {
        var missing = Loads().Select(load => load.Tool).OfType<(string Program, string Package)>().Distinct()
            .Where(tool => Executables.Find(tool.Program) is null).ToArray();
        if (missing.Length > 0)
        {
            throw new BenchmarkException(
                $"not on PATH: {string.Join(", ", missing.Select(tool => tool.Program))}; "
                + $"install the Debian packages: apt-get install {string.Join(' ', missing.Select(tool => tool.Package))}");
        }
    }

    private IEnumerable<ILoadGenerator> Loads()
    {
        var loads = Scenarios.Select(static scenario => scenario.Load);
        loads = CapacitySettings.Any() ? loads.Append(HttpScenarios.Capacity) : loads;
        return loads.Concat(Memory.Select(static memory => memory.Load).OfType<ILoadGenerator>());
    }

    private IEnumerable<(int Runs, int Cold, TimeSpan Overhead)> Runs()
    {
        var warm = new HashSet<string>(StringComparer.Ordinal);
        foreach (var scenario in Scenarios)
        {
            var servers = Sides(scenario).Count() + PeersOf(Sides(scenario)).Count;
            yield return (servers * Lengths.Rounds, warm.Add(scenario.Name) ? servers : 0, scenario.Load.Overhead);
        }

        var capacities = CapacitySettings.Count();
        yield return (capacities * HttpRunLengths.CapacityRuns, capacities, TimeSpan.Zero);
    }

    // With short lengths the references are compared with stock once per load.
    private bool IsCompared(HttpScenario scenario, ServerSide side) => scenario.IsOfDefault
        ? side.IsDefault
        : !side.IsReference || !scenario.IsVariant || Lengths.AllSidesEverywhere;

    private bool Runs(HttpScenario scenario, ServerSide side, IEnumerable<ServerSide> sides) =>
        Metrics(scenario, side).Any()
        || References(scenario, sides).Any(pair => side == pair.Adaptive || side == pair.Reference);
}
