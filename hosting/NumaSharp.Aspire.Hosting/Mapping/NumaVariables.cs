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
    public static IReadOnlyDictionary<string, string> From(NumaResourceOptions options)
    {
        var variables = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        Add(Nodes, options.Nodes);
        Add(Cpus, options.Cpus);
        Add("Binding:Mode", options.BindMode);
        Add("Binding:Policy", options.MemoryPolicy);
        Add("Memory:PoolSizePerNode", options.PoolSizePerNode);
        Add("Memory:LimitPerNode", options.MemoryLimitPerNode);
        Add("Scheduler:Policy", options.SchedulingPolicy);
        Add("Scheduler:ThreadsPerNode", options.ThreadsPerNode);
        Add("Transport:Dispatch", options.Dispatch);
        Add("Transport:LoopsPerNode", options.LoopsPerNode);
        foreach (var (key, value) in options.Settings)
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
