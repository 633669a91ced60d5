using NumaSharp.Core;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Platform;

/// <summary>The providers of one kind by case-insensitive name.</summary>
internal sealed class ProviderCatalog<T>(string path, IEnumerable<T> providers, Func<T, string> nameOf)
    where T : class
{
    public const string Auto = "Auto";

    private readonly T[] _providers = [.. providers];

    public T? Find(string name) =>
        Array.Find(_providers, provider => nameOf(provider).Equals(name, StringComparison.OrdinalIgnoreCase));

    /// <summary>The providers without those of the given names.</summary>
    public T[] Except(params string[] names) =>
        Array.FindAll(_providers, provider => !names.Contains(nameOf(provider), StringComparer.OrdinalIgnoreCase));

    /// <summary>Finds errors in a configured name, and in the registered ones.</summary>
    public IEnumerable<SettingFailure> Check(string configured)
    {
        var known = string.Join(", ", _providers.Select(nameOf).Order(StringComparer.OrdinalIgnoreCase));
        foreach (var same in _providers.GroupBy(nameOf, StringComparer.OrdinalIgnoreCase).Where(IsAmbiguous))
        {
            yield return new SettingFailure(
                path,
                configured,
                same.Key.Equals(Auto, StringComparison.OrdinalIgnoreCase)
                    ? $"a provider is registered as '{Auto}', which is a reserved name"
                    : $"{same.Count()} providers are registered as '{same.Key}'; names must differ (registered: {known})");
        }

        if (!IsAuto(configured) && Find(configured) is null)
        {
            yield return new SettingFailure(
                path, configured, $"must be {Auto} or a registered provider: {known}{Hint(configured)}");
        }
    }

    public static bool IsAuto(string configured) => configured.Equals(Auto, StringComparison.OrdinalIgnoreCase);

    private string Hint(string configured) =>
        KnownPlugin.OfProvider(configured) is { } plugin ? $"; for {configured}, {plugin.Advice}"
        : Spelling.Nearest(configured, _providers.Select(nameOf)) is { } nearest ? $"; did you mean '{nearest}'?"
        : "";

    private static bool IsAmbiguous(IGrouping<string, T> same) =>
        same.Count() > 1 || same.Key.Equals(Auto, StringComparison.OrdinalIgnoreCase);
}
