using System.Globalization;
using Aspire.Hosting.ApplicationModel;

namespace NumaSharp.Aspire.Hosting.Mapping;

/// <summary>The settings as environment variables, which a host reads as the section <c>Numa</c> of its configuration.</summary>
internal static class NumaVariables
{
    /// <summary>The nodes of one machine; other machines have other nodes.</summary>
    public const string Nodes = "Binding:Nodes";

    /// <summary>The CPUs of one machine.</summary>
    public const string Cpus = "Binding:Cpus";

    /// <summary>The folder in which copies of an application claim nodes.</summary>
    public const string Claims = "Binding:Claims";

    /// <summary>The keys that place a resource on one machine: an orchestrator of several machines decides that itself.</summary>
    public static IReadOnlyList<string> Fences { get; } = [NameOf(Nodes), NameOf(Cpus), NameOf(Claims)];

    /// <summary>The environment variable of a key below <c>Numa</c>.</summary>
    public static string NameOf(string key) => $"Numa__{key.Replace(":", "__", StringComparison.Ordinal)}";

    /// <summary>The variables by name.</summary>
    public static IReadOnlyDictionary<string, string> From(NumaResourceSettings settings)
    {
        var variables = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        Add(Nodes, settings.Nodes);
        Add(Cpus, settings.Cpus);
        Add("Binding:Mode", settings.BindMode);
        Add("Binding:Policy", settings.MemoryPolicy);
        Add("Memory:PoolSizePerNode", settings.PoolSizePerNode);
        Add("Memory:LimitPerNode", settings.MemoryLimitPerNode);
        Add("Scheduler:Policy", settings.SchedulingPolicy);
        Add("Scheduler:ThreadsPerNode", settings.ThreadsPerNode);
        Add("Transport:Dispatch", settings.Dispatch);
        Add("Transport:LoopsPerNode", settings.LoopsPerNode);
        foreach (var (key, value) in settings.Settings)
        {
            Add(key, value);
        }

        return variables;

        void Add(string key, object? value)
        {
            if (value is not null)
            {
                variables[NameOf(key)] = Convert.ToString(value, CultureInfo.InvariantCulture)!;
            }
        }
    }
}
