using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;
using NumaSharp.Plugins.HugePages;

[assembly: NumaPlugin(typeof(HugePagesPlugin))]

namespace NumaSharp.Plugins.HugePages;

/// <summary>Registers memory in huge pages, selected by <c>Numa:Memory:HugePages</c> or <c>Numa:Memory:Provider</c>.</summary>
public static class HugePagesBuilderExtensions
{
    /// <summary>
    /// Adds the memory providers <c>HugePages</c> (2 MiB) and <c>HugePages1GiB</c> on Linux; does nothing elsewhere. Safe to call
    /// more than once.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <returns>The builder.</returns>
    public static INumaBuilder AddHugePages(this INumaBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        if (!OperatingSystem.IsLinux() || builder.Services.Any(static service => service.ServiceType == typeof(Registered)))
        {
            return builder;
        }

        builder.Services.AddSingleton<Registered>();
        return builder
            .AddMemoryProvider(static provider => HugePageMemoryProvider.Create2MiB(provider.GetService<NumaFallbacks>()))
            .AddMemoryProvider(static provider => HugePageMemoryProvider.Create1GiB(provider.GetService<NumaFallbacks>()));
    }

    private sealed class Registered;
}

/// <summary>The entry for <c>Numa:Plugins</c>.</summary>
internal sealed class HugePagesPlugin : INumaPlugin
{
    public void Register(INumaBuilder builder) => builder.AddHugePages();
}
