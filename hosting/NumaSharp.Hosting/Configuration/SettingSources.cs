using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.CommandLine;
using Microsoft.Extensions.Configuration.EnvironmentVariables;
using Microsoft.Extensions.Configuration.Memory;

namespace NumaSharp.Hosting.Configuration;

/// <summary>Which source of a configuration has a key. Only a root knows its sources; without one nothing is known.</summary>
internal sealed class SettingSources(IConfiguration? configuration)
{
    /// <summary>The place of the source that a key's value comes from: of two, the larger counts. -1: not known.</summary>
    public int OrderOf(string key) => Array.FindLastIndex(Providers(), provider => HasValue(provider, key));

    /// <summary>What people call the source, or <see langword="null"/> where it is not known, or code.</summary>
    /// <param name="key">The key from the root on.</param>
    /// <param name="written">The value there, <see langword="null"/> for a section.</param>
    public string? NameOf(string key, out string? written)
    {
        written = null;
        var providers = Providers();
        var provider = Array.FindLast(providers, provider => HasValue(provider, key))
            ?? Array.FindLast(providers, provider => provider.GetChildKeys([], key).Any());
        _ = provider?.TryGet(key, out written);
        return provider switch
        {
            null or MemoryConfigurationProvider => null,
            FileConfigurationProvider file => file.Source.Path,
            EnvironmentVariablesConfigurationProvider => "environment",
            CommandLineConfigurationProvider => "command line",
            _ => provider.ToString(),
        };
    }

    private static bool HasValue(IConfigurationProvider provider, string key) =>
        provider.TryGet(key, out var value) && value is not null;

    // A configuration is read again while it changes: what there is now is asked each time.
    private IConfigurationProvider[] Providers() => [.. ProvidersOf(configuration)];

    private static IEnumerable<IConfigurationProvider> ProvidersOf(IConfiguration? configuration) =>
        configuration is IConfigurationRoot root
            ? root.Providers.SelectMany(static provider =>
                provider is ChainedConfigurationProvider chained ? ProvidersOf(chained.Configuration) : [provider])
            : [];
}
