using NumaSharp.Core;
using NumaSharp.Plugins.Windows;

[assembly: NumaPlugin(typeof(WindowsPlugin))]

namespace NumaSharp.Plugins.Windows;

/// <summary>Registers the providers of Windows.</summary>
public static class WindowsBuilderExtensions
{
    /// <summary>
    /// Registers topology, memory and affinity of Windows under the name <c>Windows</c>, which <c>Auto</c> then selects on
    /// Windows. On other systems they are registered, too; selecting them there fails the start with an error that says so.
    /// </summary>
    /// <param name="builder">The builder; a second call for the same services has no effect.</param>
    /// <returns>The builder.</returns>
    public static INumaBuilder AddWindows(this INumaBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Services.Any(static service => service.ImplementationInstance is WindowsTopologyProvider)
            ? builder
            : builder
                .AddTopologyProvider(new WindowsTopologyProvider())
                .AddMemoryProvider(new WindowsMemoryProvider())
                .AddAffinityProvider(new WindowsAffinityProvider());
    }
}

/// <summary>The entry for <c>Numa:Plugins</c>.</summary>
internal sealed class WindowsPlugin : INumaPlugin
{
    public void Register(INumaBuilder builder) => builder.AddWindows();
}
