using System.Collections.Immutable;
using System.Globalization;
using System.Text;
using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>Finds the facts of a machine in a copy of its sys and proc, in the files that a topology is read from.</summary>
public sealed class MachineFactsCapture
{
    private const string Cpus = "sys/devices/system/cpu";
    private const string Nodes = "sys/devices/system/node";

    private static readonly string[] s_siblings = ["core_cpus", "thread_siblings"];

    private static readonly string[] s_limits =
    [
        "cpuset.cpus", "cpus", "cpuset.effective_cpus", "effective_cpus", "cpuset.cpus.effective", "cpuset.cpus.partition",
        "cpuset.cpus.isolated", "cpuset.mems", "mems", "cpuset.effective_mems", "effective_mems", "cpuset.mems.effective",
        "memory.max", "memory.limit_in_bytes",
    ];

    private readonly string _root;
    private readonly HashSet<MachineQuirk> _quirks = [];
    private CpuSet _online = CpuSet.Empty;
    private CpuSet _present = CpuSet.Empty;

    private MachineFactsCapture(string root) => _root = root;

    /// <summary>Finds the facts.</summary>
    /// <param name="name">The machine's name.</param>
    /// <param name="root">The folder that has sys and proc.</param>
    public static MachineFacts Capture(string name, string root) => new MachineFactsCapture(root).Capture(name);

    private MachineFacts Capture(string name)
    {
        _present = CpuSet.FromIds(Numbered(Cpus, "cpu"));
        var switches = _present.Where(cpu => Exists($"{FolderOf(cpu)}/online")).ToLookup(cpu => Read($"{FolderOf(cpu)}/online"));
        _online = ListOf($"{Cpus}/online") ?? _present.Except(CpuSet.FromIds(switches["0"]));
        Note(MachineQuirk.NoCpuLists, ListOf($"{Cpus}/online") is null);
        var (cores, siblings) = Cores();
        var caches = Caches();
        var nodes = AllNodes();
        return new MachineFacts
        {
            Name = name,
            MaskBits = MaskBits(),
            OnlineCpus = _online,
            PresentCpus = _present,
            PossibleCpus = ListOf($"{Cpus}/possible"),
            HotpluggableCpus = CpuSet.FromIds(switches.SelectMany(static cpus => cpus)),
            IsolatedCpus = ListOf($"{Cpus}/isolated"),
            Isolcpus = FactsLine.Words(Read("proc/cmdline") ?? "")
                .LastOrDefault(static word => word.StartsWith("isolcpus=", StringComparison.Ordinal))?["isolcpus=".Length..],
            Cores = cores,
            Siblings = siblings,
            Caches = caches,
            Nodes = nodes,
            Meminfo = Meminfo(),
            HugePages = Pools("sys/kernel/mm/hugepages"),
            Network = [.. Names("sys/class/net").Select(NetworkOf)],
            Gpus = [.. Names("proc/driver/nvidia/gpus").Select(gpu =>
                (gpu, (int)Field(Read($"proc/driver/nvidia/gpus/{gpu}/numa_status"), "Node:")!.Value))],
            Tiers = [.. Numbered("sys/devices/virtual/memory_tiering", "memory_tier").Select(tier =>
                (tier, ListOf($"sys/devices/virtual/memory_tiering/memory_tier{Text(tier)}/nodelist")!))],
            Process = Process(),
            Quirks = [.. _quirks],
        };
    }

    private (IReadOnlyList<CoreFacts> Cores, IReadOnlyList<CpuSet> Siblings) Cores()
    {
        var rows = _online.Select(cpu => (Cpu: cpu, Folder: $"{FolderOf(cpu)}/topology"))
            .Where(row => Directory.Exists(PathOf(row.Folder)))
            .Select(row => (
                row.Cpu,
                Place: (Number($"{row.Folder}/physical_package_id"), Number($"{row.Folder}/die_id"),
                    Number($"{row.Folder}/cluster_id"), Number($"{row.Folder}/core_id")),
                Siblings: s_siblings.Select(name => Sharing($"{row.Folder}/{name}", $"{row.Folder}/{name}_list").Cpus)
                    .FirstOrDefault(static cpus => cpus is not null) ?? CpuSet.FromIds(row.Cpu)))
            .ToArray();
        var first = _online.Select(cpu => $"{FolderOf(cpu)}/topology").FirstOrDefault(folder => Directory.Exists(PathOf(folder)));
        Note(MachineQuirk.NoSiblingLists, first is not null && !Exists($"{first}/thread_siblings_list"));
        Note(MachineQuirk.NoCoreCpus, first is not null && !Exists($"{first}/core_cpus"));
        var groups = rows.GroupBy(static row => (row.Place, row.Siblings), static row => row.Cpu)
            .Select(static group => (group.Key.Place, group.Key.Siblings, Cpus: CpuSet.FromIds(group)))
            .ToArray();
        return (
            [.. groups.Select(static group => new CoreFacts(
                group.Place.Item1, group.Place.Item2, group.Place.Item3, group.Place.Item4, group.Cpus))],
            [
                .. groups.Where(static group => !group.Siblings.Equals(group.Cpus))
                    .Select(static group => group.Siblings).Distinct(),
            ]);
    }

    private List<CacheFacts> Caches()
    {
        var rows = _online.SelectMany(cpu => Numbered($"{FolderOf(cpu)}/cache", "index").Select(index => (cpu, index)))
            .Select(row => (
                row.cpu,
                row.index,
                Cache: CacheOf(row.index, $"{FolderOf(row.cpu)}/cache/index{Text(row.index)}", row.cpu)))
            .ToArray();
        Note(MachineQuirk.NoCacheLists, rows.Length > 0 && Array.TrueForAll(rows, row =>
            !Exists($"{FolderOf(row.cpu)}/cache/index{Text(row.index)}/shared_cpu_list")));
        return
        [
            .. rows.GroupBy(static row => (row.Cache.Index, row.Cache.Level, row.Cache.Type, row.Cache.Size, row.Cache.ListedAs,
                    row.Cache.IsMaskEmpty))
                .OrderBy(static group => group.Key.Index)
                .Select(group =>
                {
                    CpuSet[] sets = [.. group.Select(static row => row.Cache.SharedBy[0]).Distinct()];
                    var all = sets.Aggregate(static (left, right) => left.Union(right)).Intersect(_online);
                    return group.First().Cache with
                    {
                        SharedBy = sets,
                        NotShownBy = all.Except(CpuSet.FromIds(group.Select(static row => row.cpu))),
                    };
                }),
        ];
    }

    private CacheFacts CacheOf(int index, string folder, int cpu)
    {
        var (cpus, listedAs) = Sharing($"{folder}/shared_cpu_map", $"{folder}/shared_cpu_list");
        var isEmpty = cpus is null || cpus.IsEmpty;
        return new CacheFacts(
            index,
            Number($"{folder}/level") ?? throw Cannot($"{folder}/level"),
            Read($"{folder}/type") ?? throw Cannot($"{folder}/type"),
            Read($"{folder}/size") ?? throw Cannot($"{folder}/size"),
            [isEmpty ? CpuSet.FromIds(cpu) : cpus!])
        { IsMaskEmpty = isEmpty, ListedAs = listedAs };
    }

    // The set, and the list if it is unrelated to the mask.
    private (CpuSet? Cpus, CpuSet? ListedAs) Sharing(string maskFile, string listFile)
    {
        var list = ListOf(listFile);
        if (Read(maskFile) is not { } text || !CpuSet.TryParseMask(text, out var mask))
        {
            return (list, null);
        }

        if (list is null || list.Equals(mask))
        {
            return (mask, null);
        }

        var isWider = list.Intersect(_online).Equals(mask);
        Note(MachineQuirk.ListsNameOfflineCpus, isWider);
        return isWider ? (list, null) : (mask, list);
    }

    private NodesFacts? AllNodes()
    {
        if (!Directory.Exists(PathOf(Nodes)))
        {
            return null;
        }

        var ids = Numbered(Nodes, "node");
        var links = _present.SelectMany(cpu => Numbered(FolderOf(cpu), "node").Select(node => (node, cpu)))
            .ToLookup(static link => link.node, static link => link.cpu);
        Note(MachineQuirk.NoNodeLinks, links.Count == 0);
        Note(MachineQuirk.NoCpulist, ids.All(id => !Exists($"{Nodes}/node{Text(id)}/cpulist")));
        Note(
            MachineQuirk.NulAfterNodeFiles,
            ids.Any(id => EndsWithNul($"{Nodes}/node{Text(id)}/cpumap")) || EndsWithNul($"{Nodes}/online"));
        Note(MachineQuirk.NodeHugePagesInMeminfo, ids.Any(id => !Directory.Exists(PathOf($"{Nodes}/node{Text(id)}/hugepages"))
            && Field(Read($"{Nodes}/node{Text(id)}/meminfo"), "HugePages_Total:") is not null));
        return new NodesFacts(ListOf($"{Nodes}/online"), ListOf($"{Nodes}/possible"), ListOf($"{Nodes}/has_memory"),
        [
            .. ids.Select(NodeOf),
            .. links.Where(link => !ids.Contains(link.Key))
                .Select(static link => new NodeFacts(link.Key) { IsOffline = true, Cpus = CpuSet.FromIds(link) }),
        ]);
    }

    private NodeFacts NodeOf(int id)
    {
        var folder = $"{Nodes}/node{Text(id)}";
        var meminfo = Read($"{folder}/meminfo");
        return new NodeFacts(id)
        {
            Cpus = Sharing($"{folder}/cpumap", $"{folder}/cpulist").Cpus ?? CpuSet.Empty,
            Memory = Field(meminfo, "MemTotal:"),
            Free = Field(meminfo, "MemFree:") ?? 0,
            Distances = Read($"{folder}/distance") is { } row ? [.. FactsLine.Words(row).Select(Int)] : null,
            Counters = Read($"{folder}/numastat") is { } counters
                ?
                [
                    .. counters.Split('\n')
                        .Select(static line => long.Parse(FactsLine.Words(line)[1], CultureInfo.InvariantCulture)),
                ]
                : null,
            HugePages = _quirks.Contains(MachineQuirk.NodeHugePagesInMeminfo)
                ? PoolOf(meminfo, Field(Read("proc/meminfo"), "Hugepagesize:")) is { } pool ? [pool] : null
                : Pools($"{folder}/hugepages"),
            Access =
            [
                .. Enumerable.Range(0, 2)
                    .Select(number => (Number: number, Folder: $"{folder}/access{Text(number)}/initiators"))
                    .Where(access => Directory.Exists(PathOf(access.Folder)))
                    .Select(access => AccessOf(access.Folder, access.Number)),
            ],
        };
    }

    private AccessFacts AccessOf(string folder, int accessClass) => new(
        accessClass,
        CpuSet.FromIds(Numbered(folder, "node")),
        [
            Number($"{folder}/read_latency"),
            Number($"{folder}/write_latency"),
            Number($"{folder}/read_bandwidth"),
            Number($"{folder}/write_bandwidth"),
        ]);

    private MeminfoFacts? Meminfo()
    {
        var meminfo = Read("proc/meminfo");
        return Field(meminfo, "MemTotal:") is { } total
            ? new MeminfoFacts(total, Field(meminfo, "MemFree:") ?? 0, PoolOf(meminfo, Field(meminfo, "Hugepagesize:")))
            : null;
    }

    private static HugePageFacts? PoolOf(string? meminfo, long? page) =>
        page is { } size && Field(meminfo, "HugePages_Total:") is { } total
            ? new HugePageFacts(size, total, Field(meminfo, "HugePages_Free:") ?? 0)
            : null;

    private List<HugePageFacts>? Pools(string folder) => !Directory.Exists(PathOf(folder)) ? null :
    [
        .. Names(folder).Select(name => new HugePageFacts(
                long.Parse(name["hugepages-".Length..^2], CultureInfo.InvariantCulture),
                Number($"{folder}/{name}/nr_hugepages") ?? throw Cannot($"{folder}/{name}"),
                Number($"{folder}/{name}/free_hugepages") ?? throw Cannot($"{folder}/{name}")))
            .OrderBy(static pool => pool.PageKilobytes),
    ];

    private NetworkFacts NetworkOf(string name)
    {
        var device = PathOf($"sys/class/net/{name}/device");
        if (!Directory.Exists(device))
        {
            return new NetworkFacts(name, null, null, IsVirtio: false);
        }

        // The links lead to sys/devices/pci0000:00/0000:00:03.0/virtio0/net/ens3
        var target = new DirectoryInfo(PathOf($"sys/class/net/{name}")).LinkTarget;
        var home = Path.GetFullPath(Path.Join(PathOf("sys/class/net"), target));
        var function = Path.GetDirectoryName(Path.GetDirectoryName(home))!;
        var isVirtio = Path.GetFileName(function).StartsWith("virtio", StringComparison.Ordinal);
        function = isVirtio ? Path.GetDirectoryName(function)! : function;
        return new NetworkFacts(
            name, Path.GetFileName(function), Number($"{Path.GetRelativePath(_root, function)}/numa_node"), isVirtio);
    }

    private ProcessFacts Process()
    {
        var status = Read("proc/self/status") ?? "";
        HierarchyFacts[] hierarchies =
            [.. (Read("proc/mounts") ?? Read("proc/self/mounts") ?? "").Split('\n').Select(HierarchyOf).OfType<HierarchyFacts>()];
        (string, string)[] groups =
        [
            .. (Read("proc/self/cgroup") ?? "").Split('\n').Select(static line => line.Split(':', 3))
                .Where(static parts => parts.Length == 3)
                .SelectMany(static parts => parts[1].Length == 0 ? [("v2", parts[2])]
                    : parts[1].Split(',').Where(static name => name is "cpuset" or "memory").Select(name => (name, parts[2]))),
            .. Read("proc/self/cpuset") is { Length: > 0 } path ? new[] { ("self/cpuset", path) } : [],
        ];
        return new ProcessFacts
        {
            AllowedCpus = StatusList(status, "Cpus_allowed_list:"),
            AllowedMems = StatusList(status, "Mems_allowed_list:"),
            Hierarchies = hierarchies,
            Groups = groups,
            Limits = [.. hierarchies.SelectMany(hierarchy => groups.SelectMany(group => FoldersOf(hierarchy.Point, group.Item2)))
                .Distinct()
                .Order(StringComparer.Ordinal)
                .Select(folder => (folder, (IReadOnlyList<(string, string)>)
                    [
                        .. s_limits.Select(file => (file, Read($"{folder}/{file}") ?? ""))
                            .Where(static limit => limit.Item2.Length > 0),
                    ]))
                .Where(static limit => limit.Item2.Count > 0)],
        };
    }

    private static IEnumerable<string> FoldersOf(string point, string path)
    {
        for (var folder = path.TrimEnd('/'); folder.Length > 0; folder = folder[..folder.LastIndexOf('/')])
        {
            yield return point + folder;
        }

        yield return point;
    }

    private static HierarchyFacts? HierarchyOf(string line)
    {
        var words = FactsLine.Words(line);
        string[] options = words.Length < 4 ? [] :
            [.. words[3].Split(',').Where(static option => option is "cpuset" or "memory" or "noprefix" or "cpuset_v2_mode")];
        return words.Length >= 4 && (words[2] is "cgroup2" or "cpuset" || (words[2] == "cgroup" && options.Length > 0))
            ? new HierarchyFacts(words[1], words[2], words[2] == "cgroup2" ? [] : options)
            : null;
    }

    private static CpuSet? StatusList(string status, string field) => status.Split('\n')
        .Where(line => line.StartsWith(field, StringComparison.Ordinal))
        .Select(line => CpuSet.ParseList(line[field.Length..].Trim()))
        .FirstOrDefault();

    private int MaskBits()
    {
        var masks = Numbered(Nodes, "node").Select(static node => $"{Nodes}/node{Text(node)}/cpumap")
            .Append($"{FolderOf(_online.First)}/topology/thread_siblings");
        var mask = masks.Select(Read).FirstOrDefault(static text => text is not null) ?? "00000000";
        return mask.Count(char.IsAsciiHexDigit) * 4;
    }

    private static long? Field(string? text, string name)
    {
        var line = (text ?? "").Split('\n').FirstOrDefault(line => line.Contains(name, StringComparison.Ordinal));
        return line is not null
            && long.TryParse(FactsLine.Words(line[(line.IndexOf(name, StringComparison.Ordinal) + name.Length)..])[0],
                NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number)
            ? number
            : null;
    }

    private void Note(MachineQuirk quirk, bool isThere)
    {
        if (isThere)
        {
            _quirks.Add(quirk);
        }
    }

    private CpuSet? ListOf(string path) => Read(path) is { } text && CpuSet.TryParseList(text, out var set) ? set : null;

    private int? Number(string path) => Read(path) is { } text
        && int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number) ? number : null;

    private IReadOnlyList<int> Numbered(string folder, string prefix) =>
    [
        .. Names(folder).Where(name => name.StartsWith(prefix, StringComparison.Ordinal))
            .Select(name => name[prefix.Length..])
            .Where(static number => number.Length > 0 && number.All(char.IsAsciiDigit))
            .Select(Int)
            .Order(),
    ];

    private IEnumerable<string> Names(string folder) => !Directory.Exists(PathOf(folder)) ? []
        : Directory.EnumerateFileSystemEntries(PathOf(folder))
            .Select(static path => Path.GetFileName(path))
            .Order(StringComparer.Ordinal);

    private string? Read(string path) =>
        Exists(path) ? File.ReadAllText(PathOf(path), Encoding.Latin1).Trim('\0', '\n', ' ', '\t') : null;

    private bool EndsWithNul(string path) => Exists(path) && File.ReadAllText(PathOf(path), Encoding.Latin1).EndsWith('\0');

    private bool Exists(string path) => File.Exists(PathOf(path));

    private string PathOf(string path) => Path.Join(_root, path);

    private static InvalidDataException Cannot(string path) => new($"{path} is not as a kernel writes it.");

    private static string FolderOf(int cpu) => $"{Cpus}/cpu{Text(cpu)}";

    private static int Int(string text) => int.Parse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
