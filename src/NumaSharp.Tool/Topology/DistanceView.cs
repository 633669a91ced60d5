using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace NumaSharp.Tool.Topology;

/// <summary>The distances between nodes: a matrix if it fits, else the nodes by distance.</summary>
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
