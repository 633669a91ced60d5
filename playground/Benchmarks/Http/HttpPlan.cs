using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>What a run does: the sides, and the scenarios with those rows that the filter leaves.</summary>
internal sealed class HttpPlan
{
    private readonly string? _filter;

    public HttpPlan(BenchmarkOptions options)
    {
        _filter = options.Filter;
        Lengths = options.Quick ? HttpRunLengths.Quick : HttpRunLengths.Full;
        Challengers = options.NoiseFloor
            ? [ServerSide.StockAgain]
            : [.. options.Dispatch.Select(ServerSide.Ours).Where(side => HasRows(side) || IncludesIdle(side))];
        Scenarios = [.. HttpScenarios.All.Where(scenario => Challengers.Any(side => Metrics(scenario, side).Any()))];
        if (Scenarios.Count == 0 && !Challengers.Any(IncludesIdle))
        {
            throw new BenchmarkException($"no row has '{_filter}' in its name");
        }
    }

    public HttpRunLengths Lengths { get; }

    public IReadOnlyList<ServerSide> Challengers { get; }

    public IReadOnlyList<HttpScenario> Scenarios { get; }

    public TimeSpan Budget => Lengths.Budget(Scenarios.Count, Challengers.Count + 1);

    public static string IdleRow(ServerSide side) => $"idle cpu{side.RowSuffix}";

    public IEnumerable<HttpMetric> Metrics(HttpScenario scenario, ServerSide side) =>
        HttpMetric.All.Where(metric => metric.Exists(scenario) && Includes(scenario.RowName(metric.Name, side)));

    public bool IncludesIdle(ServerSide side) => Includes(IdleRow(side));

    /// <summary>Fails, naming the packages, when a load generator of this plan is not installed.</summary>
    public void RequireTools()
    {
        var missing = Scenarios.Select(scenario => scenario.Load.Tool).OfType<(string Program, string Package)>().Distinct()
            .Where(tool => Executables.Find(tool.Program) is null).ToArray();
        if (missing.Length > 0)
        {
            throw new BenchmarkException(
                $"not on PATH: {string.Join(", ", missing.Select(tool => tool.Program))}; "
                + $"install the Debian packages: apt-get install {string.Join(' ', missing.Select(tool => tool.Package))}");
        }
    }

    private bool HasRows(ServerSide side) => HttpScenarios.All.Any(scenario => Metrics(scenario, side).Any());

    private bool Includes(string rowName) => _filter is null || rowName.Contains(_filter, StringComparison.OrdinalIgnoreCase);
}
