using NumaSharp.Core;
using NumaSharp.Hosting;

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
}
