using NumaSharp.Core;
using NumaSharp.Hosting;
using NumaSharp.Hosting.Platform;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Sets NUMA options in code.</summary>
public static class NumaHostingBuilderExtensions
{
    /// <summary>Changes the options after they were read from configuration; validation sees the result.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="configure">Changes the options.</param>
    /// <returns>The builder.</returns>
    public static INumaBuilder Configure(this INumaBuilder builder, Action<NumaOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        builder.Services.Configure(configure);
        return builder;
    }

    /// <summary>
    /// Uses these three providers, whatever the configuration names: a single line that puts an application under test on a
    /// simulated machine or substitute providers. The last of several calls counts.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="platform">The providers; the caller keeps ownership.</param>
    /// <returns>The builder.</returns>
    public static INumaBuilder UsePlatform(this INumaBuilder builder, NumaPlatform platform)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(platform);
        builder.Services.AddSingleton(new ChosenPlatform(platform));
        return builder;
    }
}
