using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

[assembly: NumaPlugin(typeof(SimulatedPlugin))]

namespace NumaSharp.Plugins.Simulated;

/// <summary>The entry for <c>Numa:Plugins</c>: a simulated machine by configuration only.</summary>
internal sealed class SimulatedPlugin : INumaPlugin
{
    public void Register(INumaBuilder builder) => builder.AddSimulated();
}
