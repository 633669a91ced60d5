using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>Reads a file of facts; an error names the file and the line.</summary>
public sealed class MachineFactsParser
{
    private static readonly string[] s_sections =
    [
        "", "cpus", "cores", "caches", "nodes", "distances", "counters", "memory access", "memory", "huge pages", "network",
        "gpus", "memory tiers", "process", "hwloc",
    ];

    private readonly string _file;
    private readonly Dictionary<string, List<FactsLine>> _sections = [];
    private readonly HashSet<FactsLine> _used = [];

    private MachineFactsParser(string file, string text)
    {
        _file = file;
        ReadLines(text);
    }

    /// <summary>Reads a file; the machine's name is the file's.</summary>
    public static MachineFacts ParseFile(string path) => Parse(path, File.ReadAllText(path));

    /// <summary>Reads the text of a file.</summary>
    /// <exception cref="FormatException">A line is not understood.</exception>
    public static MachineFacts Parse(string path, string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var parser = new MachineFactsParser(path, text);
        var facts = parser.Build(Path.GetFileNameWithoutExtension(path));
        return parser._sections.Values.SelectMany(static lines => lines).FirstOrDefault(line => !parser._used.Contains(line))
            is { } unknown ? throw unknown.Error("this key is not known here, or it is there twice") : facts;
    }

    private void ReadLines(string text)
    {
        var section = _sections[""] = [];
        var number = 0;
        foreach (var line in text.Split('\n', StringSplitOptions.TrimEntries))
        {
            number++;
            if (line is "" or ['#', ..])
            {
                continue;
            }

            if (line is ['[', .. var name, ']'])
            {
                section = s_sections.Contains(name) && _sections.TryAdd(name, []) ? _sections[name]
                    : throw new FormatException(string.Create(
                        CultureInfo.InvariantCulture, $"{_file}({number}): [{name}] is not known, or it is there twice"));
                continue;
            }

            var colon = line.IndexOf(": ", StringComparison.Ordinal);
            section.Add(colon > 0
                ? new FactsLine(_file, number, line[..colon], line[(colon + 2)..].Trim())
                : throw new FormatException(string.Create(
                    CultureInfo.InvariantCulture, $"{_file}({number}): '{line}' is not of the form 'key: value'")));
        }
    }

    private MachineFacts Build(string name)
    {
        var bits = Require("cpus", "mask bits");
        var online = Require("cpus", "online");
        var cores = Lines("cores").Where(static line => line.Key != "siblings").SelectMany(CoresOf).ToArray();
        return new MachineFacts
        {
            Name = name,
            About = Find("", "about")?.Value ?? "",
            Quirks = [.. All("", "quirk").Select(QuirkOf)],
            MaskBits = bits.Number(bits.Value),
            OnlineCpus = online.List(online.Value),
            PresentCpus = ListOf("cpus", "present") ?? online.List(online.Value),
            PossibleCpus = ListOf("cpus", "possible"),
            HotpluggableCpus = ListOf("cpus", "hotpluggable") ?? CpuSet.Empty,
            IsolatedCpus = ListOf("cpus", "isolated"),
            Isolcpus = Find("cpus", "isolcpus")?.Value,
            Cores = cores,
            Siblings = Find("cores", "siblings") is { } siblings ? siblings.Lists(siblings.Value) : [],
            Caches = [.. Use("caches").Select(CacheOf)],
            Nodes = Nodes(),
            Meminfo = Meminfo(),
            HugePages = Pools(null),
            Network = [.. Use("network").Select(NetworkOf)],
            Gpus = [.. Use("gpus").Select(static line => (line.Key, line.Number(line.Take("node"))))],
            Tiers = [.. Use("memory tiers").Select(static line => (line.Number(line.Key), line.List(line.Value)))],
            Process = Process(),
            Answers = Answers(),
        };
    }

    private static MachineQuirk QuirkOf(FactsLine line) =>
        Enum.GetValues<MachineQuirk>()
            .Cast<MachineQuirk?>()
            .FirstOrDefault(quirk => MachineFactsWriter.NameOf(quirk!.Value) == line.Value)
        ?? throw line.Error("there is no such quirk");

    // package 0; die 1; cluster 2: 0=0,16 1=1,17
    private IEnumerable<CoreFacts> CoresOf(FactsLine line)
    {
        _used.Add(line);
        var place = line.Part(line.Key);
        var package = line.NumberOrNone(place.Take("package"));
        int? die = place.TakeOptional("die") is { } dieText ? line.Number(dieText) : null;
        int? cluster = place.TakeOptional("cluster") is { } clusterText ? line.Number(clusterText) : null;
        place.End();
        foreach (var word in FactsLine.Words(line.Value))
        {
            var (core, cpus) = line.Pair(word, "=");
            yield return new CoreFacts(package, die, cluster, line.NumberOrNone(core), line.List(cpus));
        }
    }

    // 2: L2 Unified 4096K; shared by 0,2 1,3; not shown by 0
    private static CacheFacts CacheOf(FactsLine line)
    {
        var words = FactsLine.Words(line.TakeFirst());
        if (words is not [['L', .. var level], var type, var size])
        {
            throw line.Error("'LEVEL TYPE SIZE' such as 'L2 Unified 4096K' is needed first");
        }

        var groups = line.TakeOptional("private to") is { } alone
            ? [.. line.List(alone).Select(static cpu => CpuSet.FromIds(cpu))]
            : line.Lists(line.Take("shared by"));
        var cache = new CacheFacts(line.Number(line.Key), line.Number(level), type, size, groups)
        {
            NotShownBy = line.TakeOptional("not shown by") is { } hidden ? line.List(hidden) : CpuSet.Empty,
            ListedAs = line.TakeOptional("listed as") is { } listed ? line.List(listed) : null,
            IsMaskEmpty = line.TakeFlag("masks empty"),
        };
        line.End();
        return cache;
    }

    private NodesFacts? Nodes()
    {
        if (!_sections.ContainsKey("nodes"))
        {
            return null;
        }

        var lists = (ListOf("nodes", "online"), ListOf("nodes", "possible"), ListOf("nodes", "has memory"));
        var nodes = Lines("nodes").Where(line => !_used.Contains(line)).Select(NodeOf).ToArray();
        var ids = nodes.Select(static node => node.Id).ToHashSet();
        var distances = ById("distances", ids, static line => FactsLine.Words(line.Value).Select(line.Number).ToArray());
        var counters = ById("counters", ids, static line => FactsLine.Words(line.Value).Select(line.Long).ToArray());
        var access = Use("memory access").Select(AccessOf).ToLookup(static row => row.Node, static row => row.Access);
        return new NodesFacts(lists.Item1, lists.Item2, lists.Item3,
        [
            .. nodes.Select(node => node with
            {
                Distances = distances.GetValueOrDefault(node.Id),
                Counters = counters.GetValueOrDefault(node.Id),
                HugePages = Pools(node.Id),
                Access = [.. access[node.Id]],
            }),
        ]);
    }

    private NodeFacts NodeOf(FactsLine line)
    {
        _used.Add(line);
        var memory = line.TakeOptional("memory");
        var free = line.TakeOptional("free");
        var node = new NodeFacts(line.Number(line.Key))
        {
            IsOffline = line.TakeFlag("offline"),
            Cpus = line.List(line.Take("cpus")),
            Memory = memory is null ? null : line.Kilobytes(memory),
            Free = free is null ? 0 : line.Kilobytes(free),
        };
        line.End();
        return node;
    }

    private static (int Node, AccessFacts Access) AccessOf(FactsLine line)
    {
        var (node, accessClass) = line.Pair(line.Key, " class ");
        var initiators = line.List(line.Take("initiators"));
        int?[] figures =
            [.. FactsLine.Words(line.Take("figures")).Select(line.NumberOrNone)];
        line.End();
        return figures.Length == 4
            ? (line.Number(node["node".Length..].Trim()), new AccessFacts(line.Number(accessClass), initiators, figures))
            : throw line.Error("four figures are needed");
    }

    private MeminfoFacts? Meminfo()
    {
        if (Find("memory", "machine") is not { } line)
        {
            return null;
        }

        var page = Find("memory", "huge page");
        var meminfo = new MeminfoFacts(
            line.Kilobytes(line.TakeFirst()),
            line.Kilobytes(line.Take("free")),
            page is null ? null : PoolOf(page, page.Kilobytes(page.TakeFirst()), page.TakeFirst()));
        line.End();
        return meminfo;
    }

    // nodes 0-3, 2048 kB: 65 of 65 free; the machine's: machine, 2048 kB: ...
    private List<HugePageFacts>? Pools(int? node)
    {
        var pools = new List<HugePageFacts>();
        foreach (var line in Lines("huge pages"))
        {
            var (holder, page) = line.Pair(line.Key, ", ");
            var isMachine = holder == "machine";
            if (node is null ? isMachine : !isMachine && line.List(line.Pair(holder, "nodes ").Right).Contains(node.Value))
            {
                _used.Add(line);
                pools.Add(PoolOf(line, line.Kilobytes(page), line.Value));
            }
        }

        return pools.Count == 0 ? null : pools;
    }

    private static HugePageFacts PoolOf(FactsLine line, long page, string counts)
    {
        var (free, total) = line.Pair(counts.EndsWith(" free", StringComparison.Ordinal) ? counts[..^5] : counts, " of ");
        return new HugePageFacts(page, line.Long(total), line.Long(free));
    }

    // eth0: PCI 0000:02:00.0; node 0
    private static NetworkFacts NetworkOf(FactsLine line)
    {
        var address = line.TakeOptional("PCI");
        var network = new NetworkFacts(
            line.Key,
            address,
            line.TakeOptional("node") is { } node ? line.Number(node) : null,
            line.TakeFlag("virtio"));
        if (address is null && !line.TakeFlag("virtual"))
        {
            throw line.Error("'PCI ADDRESS' or 'virtual' is needed");
        }

        line.End();
        return network;
    }

    private ProcessFacts Process() => new()
    {
        AllowedCpus = ListOf("process", "allowed cpus"),
        AllowedMems = ListOf("process", "allowed mems"),
        Hierarchies = [.. All("process", "hierarchy").Select(static line =>
        {
            var (type, point) = line.Pair(line.TakeFirst(), " at ");
            var options = line.TakeOptional("options") ?? "";
            line.End();
            return new HierarchyFacts(point, type, FactsLine.Words(options));
        })],
        Groups = [.. All("process", "in").Select(static line => line.Pair(line.Value, " "))],
        Limits = [.. Lines("process").Where(line => line.Key.StartsWith('/')).Select(line =>
        {
            _used.Add(line);
            return (line.Key, (IReadOnlyList<(string, string)>)
                [.. line.Value.Split(';', StringSplitOptions.TrimEntries).Select(field => line.Pair(field, " "))]);
        })],
    };

    private MachineAnswers? Answers() => _sections.ContainsKey("hwloc")
        ? new MachineAnswers(
            ListOf("hwloc", "cpus") ?? CpuSet.Empty,
            ListOf("hwloc", "memory nodes") ?? CpuSet.Empty,
            Find("hwloc", "memory") is { } memory
                ? [.. FactsLine.Words(memory.Value).Select(word => memory.Pair(word, "="))
                    .Select(pair => (memory.Number(pair.Left), pair.Right))]
                : [])
        : null;

    private List<FactsLine> Lines(string section) => _sections.GetValueOrDefault(section) ?? [];

    private IEnumerable<FactsLine> Use(string section) => Lines(section).Where(_used.Add);

    private Dictionary<int, T> ById<T>(string section, HashSet<int> ids, Func<FactsLine, T> parse)
    {
        var rows = new Dictionary<int, T>();
        foreach (var line in Use(section))
        {
            if (!ids.Contains(line.Number(line.Key)) || !rows.TryAdd(line.Number(line.Key), parse(line)))
            {
                throw line.Error("there is no such node, or it is there twice");
            }
        }

        return rows;
    }

    private IEnumerable<FactsLine> All(string section, string key) =>
        Lines(section).Where(line => line.Key == key && _used.Add(line));

    // The first: a second one stays unused, which is an error.
    private FactsLine? Find(string section, string key) => All(section, key).FirstOrDefault();

    private FactsLine Require(string section, string key) =>
        Find(section, key) ?? throw new FormatException($"{_file}: '{key}: ...' is needed in [{section}]");

    private CpuSet? ListOf(string section, string key) => Find(section, key) is { } line ? line.List(line.Value) : null;
}
