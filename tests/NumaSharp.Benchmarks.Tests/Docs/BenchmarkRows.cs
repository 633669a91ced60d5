using System.Collections.Concurrent;
using NumaSharp.GuestProbe.Locality;
using NumaSharp.GuestProbe.ManagedHeap;
using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Http;
using NumaSharp.Playground.Benchmarks.Http.Stops;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory;
using NumaSharp.Playground.Benchmarks.Pools;
using NumaSharp.Playground.Benchmarks.Scheduling;
using NumaSharp.Playground.Benchmarks.Udp;

namespace NumaSharp.Benchmarks.Tests.Docs;

/// <summary>
/// The names of all rows, by kind of benchmark, from the tables that the benchmarks run; and those that the guests measure.
/// </summary>
internal static class BenchmarkRows
{
    // No benchmark of the harness: it needs several nodes, and no time.
    private const string Locality = "locality";

    private static readonly ConcurrentDictionary<string, HashSet<string>> s_kinds = new(StringComparer.Ordinal);

    // All sides and all loads.
    private static readonly BenchmarkOptions s_everything = new(
        Quick: false, Json: null, Filter: null, Enum.GetValues<DispatchMode>(), NoiseFloor: false, SocketsInline: true);

    public static bool Have(string kind, string row) =>
        s_kinds.GetOrAdd(kind, static kind => NamesOf(kind).ToHashSet(StringComparer.Ordinal)).Contains(row);

    private static IEnumerable<string> NamesOf(string kind) => kind switch
    {
        BenchmarkKinds.Memory => NamesOf(MemoryRows.Create),
        BenchmarkKinds.Pool => NamesOf(PoolRows.Create),
        BenchmarkKinds.Scheduler => NamesOf(static _ => SchedulerRows.Create()),
        BenchmarkKinds.Http => NamesOfHttp(),
        BenchmarkKinds.Udp => NamesOfUdp(),
        BenchmarkKinds.Stop => NamesOfStop(),
        Locality => [.. LocalityRows.All, .. ManagedHeapRows.All],
        _ => [],
    };

    private static string[] NamesOf(Func<WorkerTeams, IReadOnlyList<IRowSource>> table)
    {
        using var teams = new WorkerTeams(new BenchmarkCpus(null, null, null));
        return [.. table(teams).SelectMany(static source => source.Rows).Select(static row => row.Name)];
    }

    private static string[] NamesOfHttp()
    {
        var plan = new HttpPlan(s_everything);
        return
        [
            .. from scenario in plan.Scenarios
               from side in plan.Sides(scenario)
               from metric in plan.Metrics(scenario, side)
               select scenario.RowName(metric, side),
            .. from scenario in plan.Scenarios
               from pair in plan.References(scenario, plan.Challengers)
               select pair.Row.Name,
            .. plan.Memory.SelectMany(static memory => memory.RowNames),
            .. plan.Stalls!.RowNames,
            .. plan.Challengers.Where(plan.IncludesIdle).Select(HttpPlan.IdleRow),
        ];
    }

    private static string[] NamesOfUdp() =>
    [
        .. from scenario in UdpScenario.All
           from pair in scenario.Pairs
           from metric in scenario.Metrics(pair)
           select scenario.RowName(pair, metric.Name),
        .. from scenario in UdpScenario.All
           from pair in scenario.Pairs
           select scenario.BytesRow(pair.Ours),
    ];

    private static IEnumerable<string> NamesOfStop()
    {
        var plan = new StopPlan(s_everything);
        return from protocol in plan.Protocols
               from side in plan.Sides(protocol)
               from row in plan.Rows(protocol, side)
               select row.NameOf(protocol, side);
    }
}
