using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting.Platform;

/// <summary>The providers that the options select.</summary>
/// <param name="Platform">The providers, or <see langword="null"/> when there are failures.</param>
/// <param name="Notice">What the selection gave up, if anything.</param>
/// <param name="Failures">Why there is no selection.</param>
internal sealed record PlatformSelection(NumaPlatform? Platform, NumaFallback? Notice, IReadOnlyList<SettingFailure> Failures);
