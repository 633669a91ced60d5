using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting.Platform;

/// <summary>The providers that the options select.</summary>
/// <param name="Topology">The topology provider, or <see langword="null"/> when it cannot be told.</param>
/// <param name="Platform">All providers, or <see langword="null"/> when there are failures.</param>
/// <param name="Notice">What the selection gave up, if anything.</param>
/// <param name="Failures">Why there is no selection.</param>
internal sealed record PlatformSelection(
    INumaTopologyProvider? Topology,
    NumaPlatform? Platform,
    NumaFallback? Notice,
    IReadOnlyList<SettingFailure> Failures);
