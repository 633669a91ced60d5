using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.CommandLine;
using Microsoft.Extensions.Configuration.EnvironmentVariables;
using Microsoft.Extensions.Configuration.Memory;

namespace NumaSharp.Hosting.Configuration;

/// <summary>Finds the source of a key. Only a configuration root knows its sources; without one nothing is known.</summary>
internal sealed class SettingSources(IConfiguration? configuration)
{
    /// <summary>The position of the source that supplies a key's value: the larger of two counts. -1: unknown.</summary>
    public int OrderOf(string key) => Array.FindLastIndex(Providers(), provider => HasValue(provider, key));

    /// <summary>The source's name for people, or <see langword="null"/> if it is unknown, or code.</summary>
    /// <param name="key">The key from the root.</param>
    /// <param name="written">The value there; <see langword="null"/> for a section.</param>
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

    // The configuration may be reloaded at any time: the current providers are read each time.
    private IConfigurationProvider[] Providers() => [.. ProvidersOf(configuration)];

    private static IEnumerable<IConfigurationProvider> ProvidersOf(IConfiguration? configuration) =>
        configuration is IConfigurationRoot root
            ? root.Providers.SelectMany(static provider =>
                provider is ChainedConfigurationProvider chained ? ProvidersOf(chained.Configuration) : [provider])
            : [];
}
