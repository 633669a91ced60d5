using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting.Platform;

/// <summary>The machine selected by the options, as read; without a platform if there are failures.</summary>
/// <param name="Platform">The providers.</param>
/// <param name="Topology">The result of the topology provider, if it could read.</param>
/// <param name="Failures">Why there is no platform.</param>
internal sealed record Machine(NumaPlatform? Platform, NumaTopology? Topology, IReadOnlyList<SettingFailure> Failures);
