using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Plugins.Simulated.Settings;

[assembly: NumaPlugin(typeof(SimulatedPlugin))]

namespace NumaSharp.Plugins.Simulated;

/// <summary>Registers a simulated machine, selected by <c>Numa:Topology:Provider</c> = <c>Simulated</c>.</summary>
public static class SimulatedBuilderExtensions
{
    /// <summary>
    /// Adds the providers <c>Simulated</c> for a machine declared by the section <c>Numa:Simulated</c>, and by code, which
    /// overrides it. The default is <see cref="SimulatedMachines.TwoSockets"/>. A <see cref="SimulatedMachine"/> already
    /// registered is used as it is. Safe to call more than once.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="configure">Changes the configured declaration; runs when the host starts.</param>
    /// <returns>The builder.</returns>
    public static INumaBuilder AddSimulated(this INumaBuilder builder, Action<SimulatedMachineOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        if (configure is not null)
        {
            builder.Services.AddSingleton(new MachineSetup(configure));
        }

        if (builder.Services.Any(static service => service.ServiceType == typeof(Registered)))
        {
            return builder;
        }

        builder.Services.AddSingleton<Registered>();
        builder.Services.TryAddSingleton(static provider => MachineSetup.CreateMachine(
            provider.GetKeyedService<NumaPluginSettings>(SimulatedMachine.ProviderName),
            provider.GetServices<MachineSetup>()));
        return builder
            .AddSettings(SimulatedMachine.ProviderName)
            .AddTopologyProvider(static provider => PlatformOf(provider).Topology)
            .AddMemoryProvider(static provider => PlatformOf(provider).Memory)
            .AddAffinityProvider(static provider => PlatformOf(provider).Affinity);
    }

    private static NumaPlatform PlatformOf(IServiceProvider provider) =>
        provider.GetRequiredService<SimulatedMachine>().Platform;

    private sealed class Registered;
}

/// <summary>The entry for <c>Numa:Plugins</c>: a simulated machine by configuration only.</summary>
internal sealed class SimulatedPlugin : INumaPlugin
{
    public void Register(INumaBuilder builder) => builder.AddSimulated();
}
