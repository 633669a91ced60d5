using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Tests.Support;

internal static class Machines
{
    public static long Page { get; } = (long)NumaPlatform.Default.Memory.PageSize;

    /// <summary>Nodes with one CPU each and so many pages of memory; nearer ids are nearer nodes.</summary>
    public static SimulatedMachineOptions Small(params long[] pages)
    {
        var options = new SimulatedMachineOptions();
        foreach (var (id, count) in pages.Index())
        {
            int[] distances = [.. Enumerable.Range(0, pages.Length).Select(other => 10 + (2 * Math.Abs(id - other)))];
            options.Nodes.Add(TestMachines.NodeOptions(id, $"{id}", count * Page, distances));
        }

        return options;
    }

    public static SimulatedMachine Create(params long[] pages) => new(Small(pages));
}
