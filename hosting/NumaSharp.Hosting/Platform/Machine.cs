using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting.Platform;

/// <summary>The machine that the options select, as it was read; without platform when there are failures.</summary>
/// <param name="Platform">The providers.</param>
/// <param name="Topology">What the topology provider read, if it could.</param>
/// <param name="Failures">Why there is no platform.</param>
internal sealed record Machine(NumaPlatform? Platform, NumaTopology? Topology, IReadOnlyList<SettingFailure> Failures);
