using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting.Platform;

/// <summary>The providers selected by the options.</summary>
/// <param name="Topology">The topology provider, or <see langword="null"/> if it is unknown.</param>
/// <param name="Platform">All providers, or <see langword="null"/> if there are failures.</param>
/// <param name="Notice">The fallback of the selection, if any.</param>
/// <param name="Failures">Why there is no selection.</param>
internal sealed record PlatformSelection(
    INumaTopologyProvider? Topology,
    NumaPlatform? Platform,
    NumaFallback? Notice,
    IReadOnlyList<SettingFailure> Failures);
