using System.Diagnostics.CodeAnalysis;
using NumaSharp.Core.Plugins;

namespace NumaSharp.Core;

/// <summary>Declares that a section of <c>Numa</c> belongs to a plugin, so that its keys are not reported as unknown.</summary>
[Experimental(NumaDiagnostics.PluginContract)]
public sealed record NumaPluginSection
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="name"><see cref="Name"/></param>
    public NumaPluginSection(string name)
    {
        Name = name;
    }

    /// <summary>The section's name below <c>Numa</c>, such as <c>Simulated</c>.</summary>
    public string Name { get; init; }
}
