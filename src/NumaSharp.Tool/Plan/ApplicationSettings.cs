using Microsoft.Extensions.Configuration;

namespace NumaSharp.Tool.Plan;

/// <summary>An application's settings, and its location.</summary>
/// <param name="Builder">The settings.</param>
/// <param name="ContentRoot">The folder with its plugins: that of the first settings file.</param>
internal sealed record ApplicationSettings(IConfigurationBuilder Builder, string ContentRoot);
