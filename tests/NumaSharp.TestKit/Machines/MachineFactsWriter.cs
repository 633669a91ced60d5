using System.Globalization;
using System.Text;
using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>Writes a file of facts, as <see cref="MachineFactsParser"/> reads it.</summary>
public sealed class MachineFactsWriter
{
    private readonly StringBuilder _text = new();

    private MachineFactsWriter()
    {
    }

    /// <summary>The name that a quirk has in a file: NoCpulist is no-cpulist.</summary>
    public static string NameOf(MachineQuirk quirk) => string.Concat(quirk.ToString().Select(static (letter, at) =>
        char.IsUpper(letter) ? $"{(at > 0 ? "-" : "")}{char.ToLowerInvariant(letter)}" : $"{letter}"));

    /// <summary>The text of the file.</summary>
    public static string Write(MachineFacts facts)
    {
        ArgumentNullException.ThrowIfNull(facts);
        var writer = new MachineFactsWriter();
        writer.Line("about", facts.About.Length > 0 ? facts.About : null);
        foreach (var quirk in facts.Quirks)
        {
            writer.Line("quirk", NameOf(quirk));
        }

        writer.Cpus(facts);
        writer.Cores(facts);
        writer.Caches(facts);
        writer.Nodes(facts);
        writer.Memory(facts);
        writer.Devices(facts);
        writer.Process(facts.Process);
        writer.Answers(facts.Answers);
        return writer._text.ToString();
    }

    private void Cpus(MachineFacts facts)
    {
        Section("cpus");
        Line("mask bits", Text(facts.MaskBits));
        Line("online", List(facts.OnlineCpus));
        Line("present", facts.PresentCpus.Equals(facts.OnlineCpus) ? null : List(facts.PresentCpus));
        Line("possible", List(facts.PossibleCpus));
        Line("hotpluggable", facts.HotpluggableCpus.IsEmpty ? null : List(facts.HotpluggableCpus));
        Line("isolated", List(facts.IsolatedCpus));
        Line("isolcpus", facts.Isolcpus);
    }

    private void Cores(MachineFacts facts)
    {
        Section("cores", "package: number of the core=its CPUs", facts.Cores.Count > 0);
        foreach (var package in facts.Cores.GroupBy(static core => (core.Package, core.Die, core.Cluster)))
        {
            var (number, die, cluster) = package.Key;
            var place = $"package {Text(number)}{Part("; die ", die)}{Part("; cluster ", cluster)}";
            Line(place, string.Join(' ', package.Select(static core => $"{Text(core.Core)}={List(core.Cpus)}")));
        }

        Line("siblings", facts.Siblings.Count > 0 ? Lists(facts.Siblings) : null);
    }

    private void Caches(MachineFacts facts)
    {
        Section("caches", "place in the CPU's list: level, type and size; the CPUs that share one", facts.Caches.Count > 0);
        foreach (var cache in facts.Caches)
        {
            var isPrivate = cache.SharedBy.All(static cpus => cpus.Count == 1);
            var sharing = isPrivate
                ? $"private to {CpuSet.FromIds(cache.SharedBy.SelectMany(static cpus => cpus))}"
                : $"shared by {Lists(cache.SharedBy)}";
            Line(Text(cache.Index), Fields(
                $"L{Text(cache.Level)} {cache.Type} {cache.Size}",
                sharing,
                cache.NotShownBy.IsEmpty ? null : $"not shown by {cache.NotShownBy}",
                cache.ListedAs is { } listed ? $"listed as {listed}" : null,
                cache.IsMaskEmpty ? "masks empty" : null));
        }
    }

    private void Nodes(MachineFacts facts)
    {
        if (facts.Nodes is not { } nodes)
        {
            return;
        }

        Section("nodes");
        Line("online", List(nodes.Online));
        Line("possible", List(nodes.Possible));
        Line("has memory", List(nodes.HasMemory));
        foreach (var node in nodes.All)
        {
            Line(Text(node.Id), Fields(
                node.IsOffline ? "offline" : null,
                $"cpus {List(node.Cpus)}",
                node.Memory is { } memory ? $"memory {Text(memory)} kB; free {Text(node.Free)} kB" : null));
        }

        Rows("distances", "to the nodes in ascending order", nodes, static node => node.Distances?.Select(Text));
        Rows(
            "counters", "hit, miss, foreign, interleaved hit, local, other", nodes, static node => node.Counters?.Select(Text));
        Access(nodes);
    }

    private void Access(NodesFacts nodes)
    {
        Section(
            "memory access",
            "figures: read and write latency, read and write bandwidth",
            nodes.All.Any(static node => node.Access.Count > 0));
        foreach (var (node, access) in nodes.All.SelectMany(static node => node.Access.Select(access => (node, access))))
        {
            Line($"node {Text(node.Id)} class {Text(access.AccessClass)}", Fields(
                $"initiators {List(access.Initiators)}", $"figures {string.Join(' ', access.Figures.Select(Text))}"));
        }
    }

    private void Rows(string section, string comment, NodesFacts nodes, Func<NodeFacts, IEnumerable<string>?> rowOf)
    {
        Section(section, comment, nodes.All.Any(node => rowOf(node) is not null));
        foreach (var node in nodes.All)
        {
            Line(Text(node.Id), rowOf(node) is { } row ? string.Join(' ', row) : null);
        }
    }

    private void Memory(MachineFacts facts)
    {
        if (facts.Meminfo is { } meminfo)
        {
            Section("memory");
            Line("machine", $"{Text(meminfo.Total)} kB; free {Text(meminfo.Free)} kB");
            Line("huge page", meminfo.HugePages is { } pool ? $"{Text(pool.PageKilobytes)} kB; {Counts(pool)}" : null);
        }

        var ofNodes = (facts.Nodes?.All ?? [])
            .SelectMany(static node => (node.HugePages ?? []).Select(pool => (node.Id, pool)))
            .GroupBy(static pair => pair.pool, static pair => pair.Id)
            .ToArray();
        Section("huge pages", null, ofNodes.Length > 0 || facts.HugePages?.Count > 0);
        foreach (var pool in facts.HugePages ?? [])
        {
            Line($"machine, {Text(pool.PageKilobytes)} kB", Counts(pool));
        }

        foreach (var pool in ofNodes)
        {
            Line($"nodes {CpuSet.FromIds(pool)}, {Text(pool.Key.PageKilobytes)} kB", Counts(pool.Key));
        }
    }

    private void Devices(MachineFacts facts)
    {
        Section("network", null, facts.Network.Count > 0);
        foreach (var network in facts.Network)
        {
            Line(network.Name, Fields(
                network.Address is { } address ? $"PCI {address}" : "virtual",
                network.IsVirtio ? "virtio" : null,
                network.Node is { } node ? $"node {Text(node)}" : null));
        }

        Section("gpus", null, facts.Gpus.Count > 0);
        foreach (var (address, node) in facts.Gpus)
        {
            Line(address, $"node {Text(node)}");
        }

        Section("memory tiers", null, facts.Tiers.Count > 0);
        foreach (var (tier, nodes) in facts.Tiers)
        {
            Line(Text(tier), List(nodes));
        }
    }

    private void Process(ProcessFacts process)
    {
        Section("process", "the process that looked: cgroups, and what their files say", process.AllowedCpus is not null
            || process.AllowedMems is not null || process.Hierarchies.Count + process.Groups.Count + process.Limits.Count > 0);
        Line("allowed cpus", List(process.AllowedCpus));
        Line("allowed mems", List(process.AllowedMems));
        foreach (var hierarchy in process.Hierarchies)
        {
            var options = hierarchy.Options.Count > 0 ? $"options {string.Join(' ', hierarchy.Options)}" : null;
            Line("hierarchy", Fields($"{hierarchy.Type} at {hierarchy.Point}", options));
        }

        foreach (var (controller, path) in process.Groups)
        {
            Line("in", $"{controller} {path}");
        }

        foreach (var (folder, values) in process.Limits)
        {
            Line(folder, string.Join("; ", values.Select(static value => $"{value.File} {value.Value}")));
        }
    }

    private void Answers(MachineAnswers? answers)
    {
        if (answers is not null)
        {
            Section("hwloc", "what hwloc says: CPUs and nodes with memory that the process may use");
            Line("cpus", List(answers.Cpus));
            Line("memory nodes", List(answers.MemoryNodes));
            var memory = string.Join(' ', answers.Memory.Select(static node => $"{Text(node.Node)}={node.Memory}"));
            Line("memory", memory.Length > 0 ? memory : null);
        }
    }

    private void Section(string name, string? comment = null, bool isThere = true)
    {
        if (isThere)
        {
            _text.Append('\n').Append('[').Append(name).Append("]\n");
            _text.Append(comment is null ? "" : $"# {comment}\n");
        }
    }

    private void Line(string key, string? value)
    {
        if (value is not null)
        {
            _text.Append(key).Append(": ").Append(value).Append('\n');
        }
    }

    private static string Fields(params string?[] fields) => string.Join("; ", fields.Where(static field => field is not null));

    private static string Counts(HugePageFacts pool) => $"{Text(pool.Free)} of {Text(pool.Total)} free";

    private static string? List(CpuSet? set) => set is null ? null : set.IsEmpty ? "none" : set.ToString();

    private static string Lists(IEnumerable<CpuSet> sets) => string.Join(' ', sets.Select(List));

    private static string Part(string name, int? number) => number is null ? "" : name + Text(number);

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    private static string Text(int number) => Text((long)number);

    private static string Text(int? number) => number is { } known ? Text(known) : "none";
}
