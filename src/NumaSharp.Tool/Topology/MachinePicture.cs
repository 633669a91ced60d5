using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace NumaSharp.Tool.Topology;

/// <summary>A box per node, as many side by side as fit, with its packages, caches, cores and memory.</summary>
internal sealed class MachinePicture
{
    private const int MinBoxWidth = 38;
    private const int Frame = 4;
    private const int BarWidth = 8;

    private readonly NumaTopology _topology;
    private readonly Profile _profile;

    private MachinePicture(NumaTopology topology, Profile profile)
    {
        _topology = topology;
        _profile = profile;
    }

    public static IRenderable Of(NumaTopology topology, Profile profile)
    {
        var perRow = Math.Clamp(profile.Width / MinBoxWidth, 1, topology.NodeCount);
        var boxWidth = profile.Width / perRow;
        var picture = new MachinePicture(topology, profile);
        var grid = new Grid { Expand = false };
        for (var column = 0; column < perRow; column++)
        {
            grid.AddColumn(new GridColumn { Width = boxWidth, Padding = new Padding(0) });
        }

        foreach (var row in topology.Nodes.Chunk(perRow))
        {
            grid.AddRow([.. row.Select(node => picture.Box(node, boxWidth))]);
        }

        return grid;
    }

    private Panel Box(NumaNode node, int width) => new(new Rows(Content(node, width - Frame)))
    {
        Header = new PanelHeader($" Node {ToolText.Number(node.NodeId)}, {NodeDocument.NameOf(node.Kind)} "),
        Border = Borders.OfBox(_profile),
        BorderStyle = new Style(ColorOf(node.Kind)),
        Width = width,
    };

    private static Color ColorOf(NumaNodeKind kind) => kind switch
    {
        NumaNodeKind.Memory => Color.Blue,
        NumaNodeKind.Cpu => Color.Yellow,
        NumaNodeKind.Device => Color.Grey,
        _ => Color.Green,
    };

    private IEnumerable<IRenderable> Content(NumaNode node, int width)
    {
        foreach (var group in CpuGroup.Of(_topology, node))
        {
            if (group.Title.Length > 0)
            {
                yield return new Text(group.Title, new Style(decoration: Decoration.Bold));
            }

            yield return Cores(node, group, width);
        }

        if (node.MemoryBytes > 0)
        {
            var (free, all) = (SizeText.Format(node.MemoryFreeBytes), SizeText.Format(node.MemoryBytes));
            yield return new Text($"{Bar(node)} {free} free of {all}");
        }

        foreach (var access in node.Access)
        {
            yield return new Text(Describe(access));
        }

        var devices = _topology.NetworkDevices.Where(device => device.NodeId == node.Id).ToArray();
        if (devices.Length > 0)
        {
            yield return new Text($"Network {ToolText.OneLine(string.Join(' ', devices.Select(static device => device.Name)))}");
        }
    }

    private Paragraph Cores(NumaNode node, CpuGroup group, int width)
    {
        var paragraph = new Paragraph();
        var used = 0;
        foreach (var core in group.Cores)
        {
            var text = Describe(node, core);
            if (used > 0 && used + 1 + text.Length > width)
            {
                paragraph.Append("\n");
                used = 0;
            }

            var style = core.Overlaps(node.Cpus) ? new Style(Color.Green) : new Style(Color.Grey);
            paragraph.Append(used > 0 ? " " + text : text, style);
            used += text.Length + (used > 0 ? 1 : 0);
        }

        return paragraph;
    }

    private string Describe(NumaNode node, CpuSet core)
    {
        var cpus = core.Select(cpu =>
            (node.Cpus.Contains(cpu) ? "" : "-") + ToolText.Number(cpu) + (_topology.IsolatedCpus.Contains(cpu) ? "!" : ""));
        return $"[{string.Join(',', cpus)}]";
    }

    private static string Describe(NumaMemoryAccess access)
    {
        var parts = new List<string>();
        AddRange(parts, access.ReadLatency, access.WriteLatency, "ns");
        AddRange(parts, access.ReadBandwidth, access.WriteBandwidth, "MB/s");
        return $"Read/write from nodes {access.InitiatorNodes}: {(parts.Count == 0 ? "no figures" : string.Join(", ", parts))}";
    }

    private static void AddRange(List<string> parts, int? read, int? write, string unit)
    {
        if (read is not null || write is not null)
        {
            parts.Add($"{(read is { } r ? ToolText.Number(r) : "?")}/{(write is { } w ? ToolText.Number(w) : "?")} {unit}");
        }
    }

    private string Bar(NumaNode node)
    {
        var used = (int)Math.Round(BarWidth * (1 - ((double)node.MemoryFreeBytes / node.MemoryBytes)));
        var (full, empty) = _profile.Capabilities.Unicode ? ('\u2588', '\u2591') : ('#', '.');
        return new string(full, used) + new string(empty, BarWidth - used);
    }
}

/// <summary>CPUs of a node that share a package and a last-level cache, core by core.</summary>
/// <param name="Title">The package and the cache, as far as they are known.</param>
/// <param name="Cores">The node's CPUs of each core.</param>
internal sealed record CpuGroup(string Title, IReadOnlyList<CpuSet> Cores)
{
    public static IReadOnlyList<CpuGroup> Of(NumaTopology topology, NumaNode node)
    {
        var cpus = node.OnlineCpus.Union(node.Cpus);
        return
        [
            .. CoresOf(topology, cpus)
                .GroupBy(core => TitleOf(topology, core))
                .Select(static group => new CpuGroup(group.Key, [.. group])),
        ];
    }

    private static IEnumerable<CpuSet> CoresOf(NumaTopology topology, CpuSet cpus)
    {
        var rest = cpus;
        foreach (var cpu in cpus)
        {
            if (rest.Contains(cpu))
            {
                var core = topology.FindCore(cpu)?.Cpus.Intersect(cpus) ?? CpuSet.FromIds(cpu);
                rest = rest.Except(core);
                yield return core;
            }
        }
    }

    private static string TitleOf(NumaTopology topology, CpuSet core)
    {
        var parts = new List<string>();
        if (topology.FindCore(core.First) is { PackageId: { } package })
        {
            parts.Add($"Package {ToolText.Number(package)}");
        }

        if (topology.FindLastLevelCache(core.First) is { } cache)
        {
            var size = cache.SizeBytes > 0 ? " " + SizeText.Format(cache.SizeBytes) : "";
            parts.Add(string.Create(CultureInfo.InvariantCulture, $"L{cache.Level}{size} of {cache.Cpus}"));
        }

        return string.Join(", ", parts);
    }
}
