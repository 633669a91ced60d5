namespace NumaSharp.Hosting.Configuration;

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
