using NumaSharp.GuestProbe.Locality;
using NumaSharp.GuestProbe.ManagedHeap;

namespace NumaSharp.GuestTests.Support;

/// <summary>
/// How much of what threads allocate from the garbage collector's heap is on their node, by the collector's settings: a line on
/// the console for each, of which the script <c>run</c> makes a table.
/// </summary>
internal static class ManagedHeapTable
{
    // Of what the threads of a node allocate, while all CPUs are busy. With DATAS some nodes had less than 2 %. More than this
    // depends on how evenly the emulated CPUs run.
    private const double LeastShare = 0.1;

    // Fewer would show that something was not done.
    private const int LeastPages = 1000;

    private const string ServerGc = "DOTNET_gcServer";
    private const string Datas = "DOTNET_GCDynamicAdaptationMode";

    // What the package writes into the runtimeconfig.json of an application.
    private static readonly (string, string)[] s_ofThePackage = [(ServerGc, "1"), (Datas, "0")];

    public static async Task MeasureAsync(int[] nodes)
    {
        var heapPerNode = $"{nodes.Length:x}";
        await MeasureAsync(ManagedHeapRows.Workstation, [(ServerGc, "0")]);
        await MeasureAsync(ManagedHeapRows.Dynamic, [(ServerGc, "1")]);
        await MeasureAsync(ManagedHeapRows.HeapPerNode, [(ServerGc, "1"), ("DOTNET_GCHeapCount", heapPerNode)]);
        var ours = await MeasureAsync(ManagedHeapRows.HeapPerCpu, s_ofThePackage);
        await MeasureAsync(ManagedHeapRows.Limit, [.. s_ofThePackage, ("DOTNET_GCHeapHardLimit", "20000000")]);
        var perNode = await MeasurePerNodeAsync(nodes);

        Assert.Equal(nodes, ours.ThreadPerCpu.Keys.Order());
        Assert.All(
            ours.ThreadPerCpu,
            static node => Assert.True(node.Value.Right >= LeastShare * node.Value.All, $"Node {node.Key}: {node.Value}"));
        Assert.All(perNode.SelectMany(static load => load.Values), static share => Assert.Equal(share.All, share.Right));
    }

    private static async Task<ManagedHeapReport> MeasureAsync(string row, (string Name, string Value)[] settings)
    {
        var report = await Child.MeasureManagedHeapAsync(settings);
        Write(row, report.ThreadPerNode, report.ThreadPerCpu, report.OneNode);
        return report;
    }

    private static async Task<IReadOnlyDictionary<int, LocalityShare>[]> MeasurePerNodeAsync(int[] nodes)
    {
        var reports = await Child.MeasureManagedHeapPerNodeAsync(s_ofThePackage);
        Assert.Equal(nodes, reports.Keys.Order());
        IReadOnlyDictionary<int, LocalityShare>[] loads =
        [
            Join(static report => report.ThreadPerNode),
            Join(static report => report.ThreadPerCpu),
            Join(static report => report.OneNode),
        ];
        Write(ManagedHeapRows.ProcessPerNode, loads);
        return loads;

        // Each process knows only its node.
        Dictionary<int, LocalityShare> Join(Func<ManagedHeapReport, IReadOnlyDictionary<int, LocalityShare>> load) =>
            reports.Values.Select(report => Assert.Single(load(report))).ToDictionary();
    }

    private static void Write(string row, params IReadOnlyDictionary<int, LocalityShare>[] loads)
    {
        Assert.All(loads.SelectMany(static load => load.Values), static share => Assert.True(share.All >= LeastPages));
        Console.WriteLine($"locality of {row} | {string.Join(" | ", loads.Select(Join))}");
    }

    private static string Join(IReadOnlyDictionary<int, LocalityShare> nodes) =>
        string.Join("; ", nodes.OrderBy(static node => node.Key).Select(static node => $"{node.Value}"));
}
