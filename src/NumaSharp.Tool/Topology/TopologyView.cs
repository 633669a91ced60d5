using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace NumaSharp.Tool.Topology;

/// <summary>The machine for people: a table of its nodes, a picture of each node's content, the distances.</summary>
internal static class TopologyView
{
    public static void Write(IAnsiConsole screen, NumaTopology topology)
    {
        NodeTable(topology).Write(screen);
        screen.Write(MachinePicture.Of(topology, screen.Profile));
        screen.Write(new Text(Legend(topology)));
        screen.WriteLine();
        if (topology.NodeCount > 1)
        {
            screen.WriteLine();
            screen.Write(DistanceView.Of(topology, screen.Profile));
        }

        foreach (var line in Footnotes(topology))
        {
            screen.Write(new Text(ToolText.OneLine(line)));
            screen.WriteLine();
        }
    }

    private static ToolTable NodeTable(NumaTopology topology)
    {
        var table = new ToolTable("Node", "Kind", "CPUs", "Memory", "Free", "Huge pages", "Tier", "Network");
        foreach (var node in topology.Nodes)
        {
            table.AddRow(
                ToolText.Number(node.NodeId),
                NodeDocument.NameOf(node.Kind),
                CpusOf(node),
                MemoryOf(node),
                node.MemoryBytes == 0 ? "" : SizeText.Format(node.MemoryFreeBytes),
                string.Join('\n', node.HugePages.Where(static pages => pages.Total > 0).Select(Describe)),
                node.MemoryTier is { } tier ? ToolText.Number(tier) : "",
                string.Join(' ', DevicesOf(topology, node.Id)));
        }

        return table;
    }

    private static string CpusOf(NumaNode node) =>
        node.OnlineCpus.IsEmpty || node.Cpus.Equals(node.OnlineCpus)
            ? node.Cpus.ToString()
            : $"{(node.Cpus.IsEmpty ? "none" : node.Cpus)} of {node.OnlineCpus}";

    private static string MemoryOf(NumaNode node) => node switch
    {
        { MemoryBytes: 0, IsMemoryAllowed: false } => "",
        { MemoryBytes: 0 } => "unknown",
        { IsMemoryAllowed: false } => $"{SizeText.Format(node.MemoryBytes)} (forbidden)",
        _ => SizeText.Format(node.MemoryBytes),
    };

    private static string Describe(NumaHugePages pages) => string.Create(
        CultureInfo.InvariantCulture, $"{pages.Total} x {SizeText.Format(pages.PageBytes)}, {pages.Free} free");

    private static IEnumerable<string> DevicesOf(NumaTopology topology, NumaNodeId nodeId) =>
        topology.NetworkDevices.Where(device => device.NodeId == nodeId).Select(static device => ToolText.OneLine(device.Name));

    private static string Legend(NumaTopology topology)
    {
        var parts = new List<string>
        {
            topology.Cores.Count == 0 ? "CPUs by node" : "[0,4] is a core with its hardware threads",
        };
        if (topology.Nodes.Any(static node => !node.OnlineCpus.IsSubsetOf(node.Cpus)))
        {
            parts.Add("-4 may not be used");
        }

        if (!topology.IsolatedCpus.IsEmpty)
        {
            parts.Add("4! is isolated");
        }

        return string.Join("; ", parts) + ".";
    }

    private static IEnumerable<string> Footnotes(NumaTopology topology)
    {
        yield return $"Allowed CPUs {topology.AllowedCpus}; memory of nodes {topology.MemoryNodes}; read by {topology.Source}.";
        if (!topology.IsolatedCpus.IsEmpty)
        {
            yield return $"Isolated CPUs {topology.IsolatedCpus}.";
        }

        if (topology.NodeCount > 1 && topology.Nodes.Any(static node => node.InterleaveWeight is not null))
        {
            var weights = topology.Nodes
                .Where(static node => node.InterleaveWeight is not null)
                .Select(static node => string.Create(CultureInfo.InvariantCulture, $"{node.InterleaveWeight} of node {node.Id}"));
            yield return $"Weighted interleaving takes pages in turn: {string.Join(", ", weights)} "
                + (topology.HasAutomaticInterleaveWeights ? "(chosen by the kernel)." : "(the default, or as written).");
        }

        var placed = topology.Nodes.Select(static node => (NumaNodeId?)node.Id).ToHashSet();
        var elsewhere = topology.NetworkDevices.Where(device => !placed.Contains(device.NodeId)).ToArray();
        if (elsewhere.Length > 0)
        {
            var devices = elsewhere.Select(static device =>
                device.NodeId is { } node ? $"{device.Name} (node {node})" : device.Name);
            yield return $"Network devices of no node above: {string.Join(", ", devices)}.";
        }

        foreach (var warning in topology.Warnings)
        {
            yield return $"Warning: {warning}";
        }
    }
}

/// <summary>The distances between nodes: a matrix if it fits, otherwise the nodes by distance.</summary>
internal static class DistanceView
{
    private const int CellWidth = 6;
    private const int LocalDistance = 10;

    private static readonly Color[] s_heat = [Color.Green, Color.GreenYellow, Color.Yellow, Color.Orange1, Color.Red];

    public static IRenderable Of(NumaTopology topology, Profile profile)
    {
        var table = (topology.NodeCount + 1) * CellWidth <= profile.Width ? Matrix(topology) : Lists(topology);
        table.Border = Borders.OfMatrix(profile);
        table.Title = new TableTitle("Distances");
        return table;
    }

    private static Table Matrix(NumaTopology topology)
    {
        var furthest = topology.Nodes.Max(from => topology.Nodes.Max(to => topology.GetDistance(from.Id, to.Id)));
        var table = new Table();
        table.AddColumn(new TableColumn("from"));
        foreach (var node in topology.Nodes)
        {
            table.AddColumn(new TableColumn(ToolText.Number(node.NodeId)).RightAligned());
        }

        foreach (var from in topology.Nodes)
        {
            var cells = topology.Nodes.Select(to => topology.GetDistance(from.Id, to.Id)).Select(distance =>
                new Text(ToolText.Number(distance), new Style(HeatOf(distance, furthest))));
            table.AddRow([new Text(ToolText.Number(from.NodeId)), .. cells]);
        }

        return table;
    }

    private static Color HeatOf(int distance, int furthest)
    {
        var span = Math.Max(1, furthest - LocalDistance);
        return s_heat[Math.Clamp((distance - LocalDistance) * (s_heat.Length - 1) / span, 0, s_heat.Length - 1)];
    }

    private static Table Lists(NumaTopology topology)
    {
        var table = new Table();
        table.AddColumns("from", "nodes by distance");
        foreach (var from in topology.Nodes)
        {
            var groups = topology.Nodes
                .GroupBy(to => topology.GetDistance(from.Id, to.Id), static to => to.NodeId)
                .OrderBy(static group => group.Key)
                .Select(static group => $"{ToolText.Number(group.Key)}: {CpuSet.FromIds(group)}");
            table.AddRow(new Text(ToolText.Number(from.NodeId)), new Text(string.Join("; ", groups)));
        }

        return table;
    }
}
