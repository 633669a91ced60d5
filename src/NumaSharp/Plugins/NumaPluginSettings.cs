using System.Collections.Frozen;
using System.Diagnostics.CodeAnalysis;

namespace NumaSharp.Core;

/// <summary>
/// A plugin's section of <c>Numa</c>, as text. In the container it is keyed by the name given to
/// <see cref="NumaBuilderExtensions.AddSettings"/>. The plugin checks it, unknown keys included, and throws
/// <see cref="NumaSettingException"/> for errors. Immutable.
/// </summary>
[Experimental(NumaDiagnostics.PluginContract)]
public sealed class NumaPluginSettings
{
    /// <summary>Creates settings; for hosts and tests.</summary>
    /// <param name="section">The section's name below <c>Numa</c>.</param>
    /// <param name="values">The values by keys relative to the section, such as <c>Nodes:0:Cpus</c>.</param>
    public NumaPluginSettings(string section, IEnumerable<KeyValuePair<string, string>> values)
    {
        ArgumentException.ThrowIfNullOrEmpty(section);
        ArgumentNullException.ThrowIfNull(values);
        Section = section;
        Values = values.ToFrozenDictionary(StringComparer.OrdinalIgnoreCase);
    }

    /// <summary>The section's name below <c>Numa</c>.</summary>
    public string Section { get; }

    /// <summary>
    /// The values that are set and not empty, by keys relative to the section (<c>Nodes:0:Cpus</c>), in any case.
    /// </summary>
    public IReadOnlyDictionary<string, string> Values { get; }
}
