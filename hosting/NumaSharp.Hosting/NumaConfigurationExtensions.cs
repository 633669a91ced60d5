using Microsoft.Extensions.Configuration;
using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting;

/// <summary>Questions about a configuration that need no host.</summary>
public static class NumaConfigurationExtensions
{
    /// <summary>Finds the keys below <c>Numa</c> that mean nothing: a start warns of them, it does not fail.</summary>
    /// <param name="configuration">The whole configuration.</param>
    /// <returns>The keys; usually none.</returns>
    public static IReadOnlyList<NumaUnknownKey> FindUnknownNumaKeys(this IConfiguration configuration)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        var section = new NumaSection(configuration.GetSection(NumaSettings.SectionName));
        return
        [
            .. section.FindUnknown()
                .Select(unknown => new NumaUnknownKey(section.Prefix + unknown.Path, section.Prefix + unknown.Nearest)),
        ];
    }
}
