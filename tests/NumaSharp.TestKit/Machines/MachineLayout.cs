using System.Globalization;
using System.Text;
using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>Writes a machine's sys and proc into a folder, as its kernel would show them.</summary>
public sealed class MachineLayout
{
    private const string Cpus = "sys/devices/system/cpu";
    private const string Nodes = "sys/devices/system/node";

    private readonly MachineFacts _facts;
    private readonly string _root;

    private MachineLayout(MachineFacts facts, string root) => (_facts, _root) = (facts, root);

    /// <summary>Writes the files.</summary>
    /// <param name="facts">The machine.</param>
    /// <param name="root">An empty folder.</param>
    public static void Write(MachineFacts facts, string root)
    {
        var layout = new MachineLayout(facts, root);
        layout.WriteCpus();
        layout.WriteNodes();
        layout.WriteMemory();
        layout.WriteDevices();
        layout.WriteProcess();
    }

    private void WriteCpus()
    {
        if (!_facts.Has(MachineQuirk.NoCpuLists))
        {
            File($"{Cpus}/online", $"{_facts.OnlineCpus}");
            File($"{Cpus}/present", $"{_facts.PresentCpus}");
            File($"{Cpus}/possible", $"{_facts.PossibleCpus ?? _facts.PresentCpus}");
        }

        File($"{Cpus}/isolated", _facts.IsolatedCpus?.ToString());
        foreach (var cpu in _facts.PresentCpus)
        {
            Directory.CreateDirectory(Path.Join(_root, FolderOf(cpu)));
        }

        foreach (var cpu in _facts.HotpluggableCpus)
        {
            File($"{FolderOf(cpu)}/online", _facts.OnlineCpus.Contains(cpu) ? "1" : "0");
        }

        WriteCores();
        WriteCaches();
    }

    private void WriteCores()
    {
        foreach (var core in _facts.Cores)
        {
            var package = Union(other => other.Package == core.Package);
            var die = Union(other => (other.Package, other.Die) == (core.Package, core.Die));
            var cluster = Union(other => (other.Package, other.Die, other.Cluster) == (core.Package, core.Die, core.Cluster));
            foreach (var cpu in core.Cpus)
            {
                var folder = $"{FolderOf(cpu)}/topology";
                var siblings = _facts.Siblings.FirstOrDefault(set => set.Contains(cpu)) ?? core.Cpus;
                Sharing(folder, "thread_siblings", siblings);
                Sharing(folder, "core_siblings", core.Package is null ? null : package);
                File($"{folder}/physical_package_id", Text(core.Package));
                File($"{folder}/core_id", Text(core.Core));
                if (!_facts.Has(MachineQuirk.NoCoreCpus))
                {
                    Sharing(folder, "core_cpus", siblings);
                    Sharing(folder, "package_cpus", package);
                    Sharing(folder, "die_cpus", core.Die is null ? null : die);
                    Sharing(folder, "cluster_cpus", core.Cluster is null ? null : cluster);
                    File($"{folder}/die_id", Text(core.Die));
                    File($"{folder}/cluster_id", Text(core.Cluster));
                }
            }
        }
    }

    private void WriteCaches()
    {
        foreach (var cache in _facts.Caches)
        {
            foreach (var cpus in cache.SharedBy)
            {
                foreach (var cpu in cpus.Intersect(_facts.OnlineCpus).Except(cache.NotShownBy))
                {
                    var folder = string.Create(CultureInfo.InvariantCulture, $"{FolderOf(cpu)}/cache/index{cache.Index}");
                    File($"{folder}/level", Text(cache.Level));
                    File($"{folder}/type", cache.Type);
                    File($"{folder}/size", cache.Size);
                    File($"{folder}/shared_cpu_map", Mask(cache.IsMaskEmpty ? CpuSet.Empty : cpus));
                    if (!_facts.Has(MachineQuirk.NoCacheLists))
                    {
                        File($"{folder}/shared_cpu_list", $"{cache.ListedAs ?? cpus}");
                    }
                }
            }
        }
    }

    private void WriteNodes()
    {
        if (_facts.Nodes is not { } nodes)
        {
            return;
        }

        NodeFile($"{Nodes}/online", nodes.Online?.ToString());
        NodeFile($"{Nodes}/possible", nodes.Possible?.ToString());
        NodeFile($"{Nodes}/has_memory", nodes.HasMemory?.ToString());
        foreach (var node in nodes.All)
        {
            var folder = $"{Nodes}/node{Text(node.Id)}";
            if (!node.IsOffline)
            {
                Directory.CreateDirectory(Path.Join(_root, folder));
                NodeFile($"{folder}/cpumap", Mask(node.Cpus));
                NodeFile($"{folder}/cpulist", _facts.Has(MachineQuirk.NoCpulist) ? null : $"{node.Cpus}");
                File(
                    $"{folder}/distance",
                    node.Distances is { } row ? string.Join(' ', row.Select(static to => Text(to))) : null);
                WriteNodeMemory(node, folder);
            }

            var linked = _facts.Has(MachineQuirk.NoNodeLinks) ? CpuSet.Empty : node.Cpus.Intersect(_facts.PresentCpus);
            foreach (var cpu in linked)
            {
                Link($"{FolderOf(cpu)}/node{Text(node.Id)}", $"../../node/node{Text(node.Id)}");
            }
        }
    }

    private void WriteNodeMemory(NodeFacts node, string folder)
    {
        var isInMeminfo = _facts.Has(MachineQuirk.NodeHugePagesInMeminfo);
        if (node.Memory is { } memory)
        {
            var prefix = $"Node {Text(node.Id)} ";
            var pool = isInMeminfo ? PoolLines(node.HugePages?.SingleOrDefault(), prefix) : "";
            File($"{folder}/meminfo", MemoryLines(memory, node.Free, prefix) + pool);
        }

        if (!isInMeminfo)
        {
            WritePools($"{folder}/hugepages", node.HugePages);
        }

        if (node.Counters is { } counters)
        {
            string[] names = ["numa_hit", "numa_miss", "numa_foreign", "interleave_hit", "local_node", "other_node"];
            File($"{folder}/numastat", string.Join('\n', names.Zip(counters, static (name, count) => $"{name} {Text(count)}")));
        }

        foreach (var access in node.Access)
        {
            string[] names = ["read_latency", "write_latency", "read_bandwidth", "write_bandwidth"];
            var initiators = $"{folder}/access{Text(access.AccessClass)}/initiators";
            Directory.CreateDirectory(Path.Join(_root, initiators));
            foreach (var (name, figure) in names.Zip(access.Figures))
            {
                File($"{initiators}/{name}", Text(figure));
            }

            foreach (var initiator in access.Initiators)
            {
                Link($"{initiators}/node{Text(initiator)}", $"../../../node{Text(initiator)}");
            }
        }
    }

    private void WriteMemory()
    {
        if (_facts.Meminfo is { } meminfo)
        {
            var page = meminfo.HugePages is { } pool ? $"\nHugepagesize: {Text(pool.PageKilobytes)} kB" : "";
            File("proc/meminfo", MemoryLines(meminfo.Total, meminfo.Free, "") + PoolLines(meminfo.HugePages, "") + page);
        }

        WritePools("sys/kernel/mm/hugepages", _facts.HugePages);
        foreach (var (tier, nodes) in _facts.Tiers)
        {
            File($"sys/devices/virtual/memory_tiering/memory_tier{Text(tier)}/nodelist", $"{nodes}");
        }
    }

    private void WriteDevices()
    {
        foreach (var network in _facts.Network)
        {
            var function = $"sys/devices/pci0000:00/{network.Address}";
            var device = network.IsVirtio ? $"{function}/virtio0" : function;
            var home = network.Address is null ? $"sys/devices/virtual/net/{network.Name}" : $"{device}/net/{network.Name}";
            Directory.CreateDirectory(Path.Join(_root, home));
            Link($"sys/class/net/{network.Name}", $"../../{home["sys/".Length..]}");
            if (network.Address is not null)
            {
                File($"{function}/numa_node", Text(network.Node));
                Link($"{home}/device", $"../../../{Path.GetFileName(device)}");
            }
        }

        foreach (var (address, node) in _facts.Gpus)
        {
            File($"proc/driver/nvidia/gpus/{address}/numa_status", $"Node: {Text(node)}");
        }
    }

    private void WriteProcess()
    {
        var process = _facts.Process;
        Directory.CreateDirectory(Path.Join(_root, "proc/self"));
        File("proc/cmdline", _facts.Isolcpus is { } isolated ? $"quiet isolcpus={isolated}" : "quiet");
        File("proc/mounts", string.Join('\n', process.Hierarchies.Select(static hierarchy =>
            $"none {hierarchy.Point} {hierarchy.Type} {string.Join(',', hierarchy.Options.Prepend("rw"))} 0 0")));
        var groups = process.Groups.Where(static group => group.Controller != "self/cpuset").ToArray();
        if (groups.Length > 0)
        {
            File("proc/self/cgroup", string.Join('\n', groups.Select(static (group, at) =>
                group.Controller == "v2" ? $"0::{group.Path}" : $"{Text(at + 1)}:{group.Controller}:{group.Path}")));
        }

        foreach (var (controller, path) in process.Groups.Except(groups))
        {
            File($"proc/{controller}", path);
        }

        (string Name, CpuSet? Ids)[] masks =
            [("Cpus_allowed_list", process.AllowedCpus), ("Mems_allowed_list", process.AllowedMems)];
        var known = masks.Where(static mask => mask.Ids is not null).Select(static mask => $"{mask.Name}:\t{mask.Ids}").ToArray();
        File("proc/self/status", known.Length > 0 ? string.Join('\n', known) : null);

        foreach (var (folder, values) in process.Limits)
        {
            foreach (var (file, value) in values)
            {
                File($"{folder.TrimStart('/')}/{file}", value);
            }
        }
    }

    private void WritePools(string folder, IReadOnlyList<HugePageFacts>? pools)
    {
        foreach (var pool in pools ?? [])
        {
            File($"{folder}/hugepages-{Text(pool.PageKilobytes)}kB/nr_hugepages", Text(pool.Total));
            File($"{folder}/hugepages-{Text(pool.PageKilobytes)}kB/free_hugepages", Text(pool.Free));
        }
    }

    private static string MemoryLines(long total, long free, string prefix) =>
        $"{prefix}MemTotal: {Text(total)} kB\n{prefix}MemFree: {Text(free)} kB";

    private static string PoolLines(HugePageFacts? pool, string prefix) => pool is null ? ""
        : $"\n{prefix}HugePages_Total: {Text(pool.Total)}\n{prefix}HugePages_Free: {Text(pool.Free)}";

    private void Sharing(string folder, string name, CpuSet? cpus)
    {
        if (cpus is not null)
        {
            File($"{folder}/{name}", Mask(cpus));
            File($"{folder}/{name}_list", _facts.Has(MachineQuirk.NoSiblingLists) ? null : $"{cpus}");
        }
    }

    // Groups of 32 bits, the highest first and no longer than necessary (lib/vsprintf.c, bitmap_string).
    private string Mask(CpuSet cpus)
    {
        var shown = _facts.Has(MachineQuirk.ListsNameOfflineCpus) ? cpus.Intersect(_facts.OnlineCpus) : cpus;
        var words = shown.AsWords();
        var text = new StringBuilder();
        for (var group = (_facts.MaskBits - 1) / 32; group >= 0; group--)
        {
            var word = group / 2 < words.Length ? (uint)(words[group / 2] >> (group % 2 * 32)) : 0;
            var bits = Math.Min(32, _facts.MaskBits - (group * 32));
            text.Append(word.ToString($"x{(bits + 3) / 4}", CultureInfo.InvariantCulture)).Append(group > 0 ? "," : "");
        }

        return text.ToString();
    }

    private CpuSet Union(Func<CoreFacts, bool> isMember) =>
        _facts.Cores.Where(isMember).Aggregate(CpuSet.Empty, static (all, core) => all.Union(core.Cpus));

    private void NodeFile(string path, string? text) =>
        File(path, _facts.Has(MachineQuirk.NulAfterNodeFiles) && text is not null ? text + "\n\0" : text);

    private void File(string path, string? text)
    {
        if (text is not null)
        {
            var file = Path.Join(_root, path);
            Directory.CreateDirectory(Path.GetDirectoryName(file)!);
            System.IO.File.WriteAllText(file, text.EndsWith('\0') ? text : text + "\n", Encoding.Latin1);
        }
    }

    private void Link(string path, string target)
    {
        var link = Path.Join(_root, path);
        Directory.CreateDirectory(Path.GetDirectoryName(link)!);
        System.IO.File.CreateSymbolicLink(link, target);
    }

    private static string FolderOf(int cpu) => $"{Cpus}/cpu{Text(cpu)}";

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    private static string? Text(int? number) => number?.ToString(CultureInfo.InvariantCulture);

    private static string Text(int number) => Text((long)number);
}
