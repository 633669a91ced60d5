using NumaSharp.Core;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Platform;

/// <summary>The memory provider that <c>Memory:HugePages</c> selects by a size.</summary>
internal static class HugePageSelection
{
    private const string Key = "Memory:HugePages";

    /// <summary>The name of the provider, or <see langword="null"/> if the key does not select one.</summary>
    public static string? NameOf(NumaHugePageUse use) => use switch
    {
        NumaHugePageUse.Size2MiB => "HugePages",
        NumaHugePageUse.Size1GiB => "HugePages1GiB",
        _ => null,
    };

    public static IEnumerable<SettingFailure> Check(NumaMemoryOptions options, ProviderCatalog<INumaMemoryProvider> memories)
    {
        var value = new HugePageFormat().ToText(options.HugePages);
        if (NameOf(options.HugePages) is { } name)
        {
            var isOther = !ProviderCatalog<INumaMemoryProvider>.IsAuto(options.Provider)
                && !options.Provider.Equals(name, StringComparison.OrdinalIgnoreCase);
            if (isOther)
            {
                yield return new SettingFailure(
                    Key,
                    value,
                    $"selects the memory provider {name}, but Memory:Provider is '{options.Provider}'; set one of them");
            }
            else if (memories.Find(name) is null)
            {
                yield return new SettingFailure(
                    Key,
                    value,
                    $"needs the memory provider {name}, which is not registered: {KnownPlugin.OfProvider(name)!.Advice} "
                    + "(Linux only)");
            }
        }
        else if (options.HugePages == NumaHugePageUse.Transparent && IsHugePageProvider(options.Provider))
        {
            yield return new SettingFailure(
                Key, value, $"contradicts Memory:Provider '{options.Provider}', whose pages are huge anyway; set one of them");
        }
    }

    private static bool IsHugePageProvider(string provider) =>
        Enum.GetValues<NumaHugePageUse>().Any(use => provider.Equals(NameOf(use), StringComparison.OrdinalIgnoreCase));
}
