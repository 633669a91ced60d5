using System.Globalization;

namespace NumaSharp.Core.Topology;

/// <summary>Reads firmware's figures for a node's memory (HMAT; Documentation/admin-guide/mm/numaperf.rst).</summary>
internal sealed class MemoryAccessReader(SysfsReader sysfs, TopologyWarnings warnings)
{
    private const int Classes = 2;

    public IReadOnlyList<NumaMemoryAccess> Read(int nodeId) =>
    [
        .. Enumerable.Range(0, Classes)
            .Select(accessClass => ReadClass($"{NodeReader.Folder}/node{nodeId}/access{accessClass}/initiators", accessClass))
            .OfType<NumaMemoryAccess>(),
    ];

    private NumaMemoryAccess? ReadClass(string folder, int accessClass)
    {
        if (!sysfs.DirectoryExists(folder))
        {
            return null;
        }

        var initiators = sysfs.ListNumbered(folder, "node").Where(static id => id < NodeReader.MaxNodes);
        return new NumaMemoryAccess(
            accessClass,
            CpuSet.FromIds(initiators),
            ReadFigure($"{folder}/read_latency"),
            ReadFigure($"{folder}/write_latency"),
            ReadFigure($"{folder}/read_bandwidth"),
            ReadFigure($"{folder}/write_bandwidth"));
    }

    // The kernel shows all four as soon as firmware gives one, the others as 0.
    private int? ReadFigure(string file)
    {
        var reading = sysfs.Read(file);
        if (int.TryParse(reading.Text, NumberStyles.None, CultureInfo.InvariantCulture, out var figure))
        {
            return figure == 0 ? null : figure;
        }

        warnings.AddUnlessMissing(reading, "the figure is unknown");
        return null;
    }
}
