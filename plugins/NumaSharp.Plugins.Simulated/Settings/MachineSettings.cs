using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Settings;

/// <summary>The section <c>Numa:Simulated</c> (docs/guide/plugins.md).</summary>
internal static class MachineSettings
{
    private const int MaxNodes = 1024;
    private const int MaxThreadsPerCore = 8;
    private const int MaxFigure = 1_000_000_000;

    private const string KnownKeys =
        "Preset, OfflineCpus, AllowedCpus, AllowedNodes, IsolatedCpus, ThreadsPerCore, Cores:N, LastLevelCaches:N, "
        + "LastLevelCacheSize, CallCapacity, "
        + "Nodes:N:{Id, Cpus, Memory, Distances, Device, Tier, ReadLatency, WriteLatency, ReadBandwidth, WriteBandwidth, "
        + "HugePages:N:{Size, Total, Free}}, NetworkDevices:N:{Name, Node}, Faults:N:{Operation, Error, Node, After, Times}";

    /// <exception cref="NumaSettingException">A value cannot be read, or a key is unknown.</exception>
    public static SimulatedMachineOptions Read(NumaPluginSettings settings)
    {
        var reader = new SettingsReader(settings);
        var options = ReadPreset(reader);
        options.OfflineCpus = reader.List("OfflineCpus") ?? options.OfflineCpus;
        options.AllowedCpus = reader.List("AllowedCpus");
        options.AllowedNodes = reader.List("AllowedNodes");
        options.IsolatedCpus = reader.List("IsolatedCpus") ?? options.IsolatedCpus;
        options.ThreadsPerCore = reader.Integer("ThreadsPerCore", 1, MaxThreadsPerCore) ?? options.ThreadsPerCore;
        options.LastLevelCacheBytes = reader.Size("LastLevelCacheSize") ?? options.LastLevelCacheBytes;
        options.CallCapacity =
            reader.Integer("CallCapacity", 0, SimulatedMachineOptions.MaxCallCapacity) ?? options.CallCapacity;
        Add(options.Cores, reader, "Cores", item => reader.List(item) ?? CpuSet.Empty);
        Add(options.LastLevelCaches, reader, "LastLevelCaches", item => reader.List(item) ?? CpuSet.Empty);
        Add(options.NetworkDevices, reader, "NetworkDevices", item => ReadDevice(reader, item));
        Add(options.Faults, reader, "Faults", item => ReadFault(reader, item));
        foreach (var (index, item) in reader.Items("Nodes").Take(MaxNodes).Index())
        {
            options.Nodes.Add(ReadNode(reader, item, index));
        }

        reader.ThrowIfWrong(KnownKeys);
        return options;
    }

    private static SimulatedMachineOptions ReadPreset(SettingsReader reader)
    {
        if (reader.Text("Preset") is not { } name)
        {
            return new SimulatedMachineOptions();
        }

        if (!SimulatedMachines.ByName.TryGetValue(name, out var create))
        {
            reader.Refuse("Preset", name, $"must be one of {string.Join(", ", SimulatedMachines.ByName.Keys)}");
        }
        else if (reader.Items("Nodes").Count > 0)
        {
            reader.Refuse("Preset", name, "must not be set where Nodes are: a preset has its own");
        }

        return create?.Invoke() ?? new SimulatedMachineOptions();
    }

    private static SimulatedNodeOptions ReadNode(SettingsReader reader, string item, int index)
    {
        var id = reader.Integer($"{item}:Id", 0, CpuSet.MaxId) ?? index;
        var access = new NumaMemoryAccess(0, CpuSet.FromIds(id))
        {
            ReadLatency = reader.Integer($"{item}:ReadLatency", 0, MaxFigure),
            WriteLatency = reader.Integer($"{item}:WriteLatency", 0, MaxFigure),
            ReadBandwidth = reader.Integer($"{item}:ReadBandwidth", 0, MaxFigure),
            WriteBandwidth = reader.Integer($"{item}:WriteBandwidth", 0, MaxFigure),
        };
        var isKnown = (access.ReadLatency ?? access.WriteLatency ?? access.ReadBandwidth ?? access.WriteBandwidth) is not null;
        return new SimulatedNodeOptions
        {
            NodeId = new(id),
            Cpus = reader.List($"{item}:Cpus") ?? CpuSet.Empty,
            MemoryBytes = reader.Size($"{item}:Memory") ?? 0,
            Distances = reader.Integers($"{item}:Distances") ?? [],
            IsDevice = reader.Flag($"{item}:Device") ?? false,
            MemoryTier = reader.Integer($"{item}:Tier", 0, MaxFigure),
            Access = isKnown ? [access] : [],
            HugePages = [.. reader.Items($"{item}:HugePages").Select(pages => ReadHugePages(reader, pages))],
        };
    }

    private static NumaHugePages ReadHugePages(SettingsReader reader, string item)
    {
        var total = reader.Integer($"{item}:Total", 0, int.MaxValue) ?? 0;
        return new NumaHugePages(
            reader.Size($"{item}:Size") ?? 2L << 20, total, reader.Integer($"{item}:Free", 0, int.MaxValue) ?? total);
    }

    private static NumaNetworkDevice ReadDevice(SettingsReader reader, string item)
    {
        var name = reader.Text($"{item}:Name");
        if (string.IsNullOrEmpty(name))
        {
            reader.Refuse($"{item}:Name", "", "must be the interface's name, such as 'eth0'");
        }

        return new NumaNetworkDevice(name ?? "", ReadNodeId(reader, $"{item}:Node"));
    }

    private static NumaNodeId? ReadNodeId(SettingsReader reader, string key) =>
        reader.Integer(key, 0, CpuSet.MaxId) is { } id ? new NumaNodeId(id) : null;

    private static SimulatedFault ReadFault(SettingsReader reader, string item)
    {
        var operation = Require<SimulatedOperation>(reader, $"{item}:Operation");
        var error = Require<SimulatedError>(reader, $"{item}:Error");
        return new SimulatedFault(operation, error)
        {
            NodeId = ReadNodeId(reader, $"{item}:Node"),
            After = reader.Integer($"{item}:After", 0, int.MaxValue) ?? 0,
            Times = reader.Integer($"{item}:Times", 0, int.MaxValue) ?? 0,
        };
    }

    private static T Require<T>(SettingsReader reader, string key)
        where T : struct, Enum
    {
        if (reader.Text(key) is null)
        {
            reader.Refuse(key, "", $"must be one of {string.Join(", ", Enum.GetNames<T>())}");
        }

        return reader.Choice<T>(key) ?? default;
    }

    // A list in the settings replaces the preset's.
    private static void Add<T>(IList<T> list, SettingsReader reader, string key, Func<string, T> read)
    {
        var items = reader.Items(key);
        if (items.Count > 0)
        {
            list.Clear();
        }

        foreach (var item in items)
        {
            list.Add(read(item));
        }
    }
}

/// <summary>Changes by code to the machine that the configuration declares.</summary>
internal sealed record MachineSetup(Action<SimulatedMachineOptions> Configure)
{
    /// <exception cref="NumaSettingException">The section is wrong, or its declaration contradicts itself.</exception>
    public static SimulatedMachine CreateMachine(NumaPluginSettings? settings, IEnumerable<MachineSetup> setups)
    {
        settings ??= new NumaPluginSettings(SimulatedMachine.ProviderName, []);
        var options = MachineSettings.Read(settings);
        foreach (var setup in setups)
        {
            setup.Configure(options);
        }

        if (options.Nodes.Count == 0)
        {
            options.UseNodesOf(SimulatedMachines.TwoSockets());
        }

        try
        {
            return new SimulatedMachine(options);
        }
        catch (NumaException exception)
        {
            var nodes = settings.Values.Where(static pair => pair.Key.EndsWith(":Cpus", StringComparison.OrdinalIgnoreCase))
                .OrderBy(static pair => pair.Key, StringComparer.OrdinalIgnoreCase)
                .Select(static pair => pair.Value);
            throw new NumaSettingException(
                [new NumaSettingProblem(settings.Section, string.Join("; ", nodes), exception.Message.TrimEnd('.'))]);
        }
    }
}

/// <summary>Reads a plugin's section key by key, and collects errors, including unknown keys.</summary>
internal sealed class SettingsReader(NumaPluginSettings settings)
{
    private readonly HashSet<string> _asked = new(StringComparer.OrdinalIgnoreCase);
    private readonly List<NumaSettingProblem> _problems = [];

    private delegate bool Parser<T>(string text, out T value);

    public string? Text(string key)
    {
        _asked.Add(key);
        return settings.Values.TryGetValue(key, out var text) ? text.Trim() : null;
    }

    public CpuSet? List(string key) => Read(
        key, static (string text, out CpuSet? set) => CpuSet.TryParseList(text, out set), "a kernel list such as '0-3,8'");

    public int? Integer(string key, int minimum, int maximum)
    {
        bool TryParse(string text, out int? value)
        {
            var parsed = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number);
            value = number;
            return parsed && number >= minimum && number <= maximum;
        }

        return Read<int?>(key, TryParse, string.Create(CultureInfo.InvariantCulture, $"an integer from {minimum} to {maximum}"));
    }

    public IReadOnlyList<int>? Integers(string key)
    {
        static bool TryParse(string text, out IReadOnlyList<int>? values)
        {
            var parts = text.Split(',', StringSplitOptions.TrimEntries);
            var numbers = new int[parts.Length];
            values = numbers;
            return parts.Index().All(part =>
                int.TryParse(part.Item, NumberStyles.None, CultureInfo.InvariantCulture, out numbers[part.Index]));
        }

        return Read<IReadOnlyList<int>?>(key, TryParse, "integers such as '10,21'");
    }

    public long? Size(string key) => Read(
        key,
        static (string text, out long? value) =>
        {
            var parsed = ByteSize.TryParse(text, out var size);
            value = size;
            return parsed;
        },
        "a size such as '2MiB', '16GiB' or a number of bytes");

    public bool? Flag(string key) => Read(
        key,
        static (string text, out bool? value) =>
        {
            var parsed = bool.TryParse(text, out var flag);
            value = flag;
            return parsed;
        },
        "true or false");

    public T? Choice<T>(string key)
        where T : struct, Enum
    {
        var names = Enum.GetNames<T>();
        bool TryParse(string text, out T? value)
        {
            var name = Array.Find(names, name => name.Equals(text, StringComparison.OrdinalIgnoreCase));
            value = name is null ? null : Enum.Parse<T>(name);
            return name is not null;
        }

        return Read<T?>(key, TryParse, $"one of {string.Join(", ", names)}");
    }

    /// <summary>The items of a list in the order of their indexes, as key prefixes.</summary>
    public IReadOnlyList<string> Items(string list)
    {
        var prefix = list + ":";
        return
        [
            .. settings.Values.Keys
                .Where(key => key.StartsWith(prefix, StringComparison.OrdinalIgnoreCase))
                .Select(key => key[prefix.Length..].Split(':')[0])
                .Where(static index => index.Length is > 0 and < 7 && index.All(char.IsAsciiDigit))
                .Distinct(StringComparer.Ordinal)
                .OrderBy(static index => int.Parse(index, CultureInfo.InvariantCulture))
                .Select(index => prefix + index),
        ];
    }

    public void Refuse(string key, string value, string reason) =>
        _problems.Add(new NumaSettingProblem($"{settings.Section}:{key}", value, reason));

    /// <exception cref="NumaSettingException">There are errors.</exception>
    public void ThrowIfWrong(string knownKeys)
    {
        foreach (var (key, value) in settings.Values
            .Where(pair => !_asked.Contains(pair.Key))
            .OrderBy(static pair => pair.Key, StringComparer.OrdinalIgnoreCase))
        {
            Refuse(key, value, $"is not a known key; known are {knownKeys}");
        }

        if (_problems.Count > 0)
        {
            throw new NumaSettingException(_problems);
        }
    }

    private T? Read<T>(string key, Parser<T> parse, string allowed)
    {
        if (Text(key) is not { } text)
        {
            return default;
        }

        if (parse(text, out var value))
        {
            return value;
        }

        Refuse(key, text, $"must be {allowed}");
        return default;
    }
}
