namespace NumaSharp.Core.Plugins;

/// <summary>Declares that a section of <c>Numa</c> belongs to a plugin, so that its keys are not reported as unknown.</summary>
/// <param name="Name">The section's name below <c>Numa</c>, such as <c>Simulated</c>.</param>
internal sealed record NumaPluginSection(string Name);
