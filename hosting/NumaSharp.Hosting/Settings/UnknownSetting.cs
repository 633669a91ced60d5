using Microsoft.Extensions.Configuration;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Settings;

/// <summary>An unknown key, and the one that may have been meant.</summary>
/// <param name="Path">The key below the section.</param>
/// <param name="Nearest">The most similar known key, or <see langword="null"/> if none is similar.</param>
internal sealed record UnknownSetting(string Path, string? Nearest)
{
    public static UnknownSetting For(string path) => new(path, PluginOf(path) is null ? NearestTo(path) : null);

    /// <summary>The advice, as a sentence.</summary>
    /// <param name="prefix">The prefix of keys.</param>
    public string AdviceWith(string prefix) =>
        PluginOf(Path) is { } plugin ? $"It belongs to {plugin.Package}: {plugin.Advice}."
        : Nearest is null ? "No known setting has a similar name."
        : $"Did you mean {prefix}{Nearest}?";

    // A registered plugin checks its section itself.
    private static KnownPlugin? PluginOf(string path) => KnownPlugin.OfSection(path.Split(':')[0]);

    private static string? NearestTo(string path)
    {
        var parts = path.Split(':');
        var (nearest, least) = ((string?)null, int.MaxValue);
        foreach (var setting in NumaSettings.All)
        {
            var known = setting.Path.Split(':');
            if (Math.Min(AlignedDistance(parts, known), NameDistance(parts[^1], known[^1])) is var distance && distance < least)
            {
                (nearest, least) = (ConfigurationPath.Combine(Fill(known, parts)), distance);
            }
        }

        return nearest;
    }

    // Every part is similar to its counterpart; indexes and chosen names are kept as written.
    private static int AlignedDistance(string[] written, string[] known)
    {
        var distance = 0;
        for (var i = 0; i < known.Length; i++)
        {
            if (written.Length != known.Length || PartDistance(written[i], known[i]) is not { } part)
            {
                return int.MaxValue;
            }

            distance += part;
        }

        return distance;
    }

    private static int? PartDistance(string written, string known) => known switch
    {
        Setting.AnyName => 0,
        Setting.AnyIndex => written.All(char.IsAsciiDigit) ? 0 : null,
        _ => Spelling.Distance(written, known),
    };

    // A known name in the wrong section is less similar than a misspelled name in the right one.
    private static int NameDistance(string written, string known) =>
        Spelling.Distance(written, known) is { } distance ? distance + 2 : int.MaxValue;

    private static string[] Fill(string[] known, string[] written) => known.Length != written.Length
        ? known
        : [.. known.Zip(written, static (part, own) => part switch
        {
            Setting.AnyName => own,
            Setting.AnyIndex when own.All(char.IsAsciiDigit) => own,
            _ => part,
        })];
}

/// <summary>A plugin of this product, which the settings may name before the application references it.</summary>
/// <param name="Package">Its package.</param>
/// <param name="Method">The method that registers it.</param>
/// <param name="Providers">The names of its providers.</param>
/// <param name="Section">Its section below <c>Numa</c>, if it has settings.</param>
internal sealed record KnownPlugin(string Package, string Method, string[] Providers, string? Section = null)
{
    public static IReadOnlyList<KnownPlugin> All { get; } =
    [
        new("NumaSharp.Plugins.Simulated", "AddSimulated()", ["Simulated"], "Simulated"),
        new("NumaSharp.Plugins.HugePages", "AddHugePages()", ["HugePages", "HugePages1GiB"]),
        new("NumaSharp.Plugins.Windows", "AddWindows()", ["Windows"]),
    ];

    /// <summary>How to add it.</summary>
    public string Advice => $"reference {Package} and call {Method}, or name its assembly in Plugins";

    public static KnownPlugin? OfProvider(string name) =>
        All.FirstOrDefault(plugin => plugin.Providers.Contains(name, StringComparer.OrdinalIgnoreCase));

    public static KnownPlugin? OfSection(string name) =>
        All.FirstOrDefault(plugin => name.Equals(plugin.Section, StringComparison.OrdinalIgnoreCase));
}
