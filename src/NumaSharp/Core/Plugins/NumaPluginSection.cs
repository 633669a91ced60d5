using System.Diagnostics.CodeAnalysis;
using NumaSharp.Core.Plugins;

namespace NumaSharp.Core;

/// <summary>Says that a section of <c>Numa</c> is a plugin's, so that its keys are not reported as unknown.</summary>
/// <param name="Name">The section's name below <c>Numa</c>, such as <c>Simulated</c>.</param>
[Experimental(NumaDiagnostics.PluginContract)]
public sealed record NumaPluginSection(string Name);
