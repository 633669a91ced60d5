using Microsoft.Extensions.Configuration;

namespace NumaSharp.Tool.Plan;

/// <summary>An application's settings, and where it would be.</summary>
/// <param name="Builder">The settings.</param>
/// <param name="ContentRoot">The folder below which its plugins are: that of the first settings file.</param>
internal sealed record ApplicationSettings(IConfigurationBuilder Builder, string ContentRoot);
