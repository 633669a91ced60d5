using NumaSharp.Core;
using NumaSharp.Core.Linux;
using NumaSharp.Hosting.Plugins;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Platform;

/// <summary>Chooses the topology, memory and affinity providers by name (docs/guide/configuration.md, "Providers").</summary>
internal sealed class PlatformSelector(
    IEnumerable<INumaTopologyProvider> topologies,
    IEnumerable<INumaMemoryProvider> memories,
    IEnumerable<INumaAffinityProvider> affinities,
    bool isLinux,
    PluginCatalog? plugins = null,
    ChosenPlatform? chosen = null)
{
    private const string Linux = LinuxTopologyProvider.ProviderName;
    private const string SingleNode = SingleNodeTopologyProvider.ProviderName;

    private readonly INumaMemoryProvider[] _memories =
    [
        .. BuiltIn<INumaMemoryProvider>(isLinux, static () => new LinuxMemoryProvider(), new SingleNodeMemoryProvider()),
        .. memories,
    ];

    private readonly INumaAffinityProvider[] _affinities =
    [
        .. BuiltIn<INumaAffinityProvider>(isLinux, static () => new LinuxAffinityProvider(), new SingleNodeAffinityProvider()),
        .. affinities,
    ];

    private readonly INumaTopologyProvider[] _topologies = [.. topologies];

    public static NumaPlatform OneNode { get; } =
        new(new SingleNodeTopologyProvider(), new SingleNodeMemoryProvider(), new SingleNodeAffinityProvider());

    /// <summary>Whether code has chosen the platform, whatever the options say.</summary>
    public bool IsChosenInCode => chosen is not null;

    public PlatformSelection Select(NumaOptions options)
    {
        if (chosen is not null)
        {
            return new PlatformSelection(chosen.Platform.Topology, chosen.Platform, null, []);
        }

        // When off, no plugin code is loaded: it may be the reason for switching off.
        var loaded = (options.Enabled ? plugins?.Load(options.Plugins) : null) ?? new PluginSet([], []);
        return loaded.Failures.Count == 0
            ? Select(options, loaded)
            : new PlatformSelection(null, null, null, loaded.Failures);
    }

    /// <summary>Whether the topology is read from a tree that may belong to another machine.</summary>
    public static bool IsForeign(INumaTopologyProvider topology, NumaTopologyOptions options)
    {
        var defaults = new NumaTopologyOptions();
        return topology is LinuxTopologyProvider
            && (!IsSameFolder(options.SysfsRoot, defaults.SysfsRoot) || !IsSameFolder(options.ProcRoot, defaults.ProcRoot));
    }

    /// <summary>Whether the topology is that of the running Linux, whose files tell more of it.</summary>
    public static bool IsOfThisLinux(INumaTopologyProvider topology, NumaTopologyOptions options) =>
        topology is LinuxTopologyProvider && !IsForeign(topology, options);

    private PlatformSelection Select(NumaOptions options, PluginSet loaded)
    {
        var topologies = Topologies(options.Topology, loaded);
        var memories = new ProviderCatalog<INumaMemoryProvider>(
            "Memory:Provider", [.. _memories, .. loaded.Memories], static provider => provider.Name);
        var affinities = new ProviderCatalog<INumaAffinityProvider>(
            "Affinity:Provider", [.. _affinities, .. loaded.Affinities], static provider => provider.Name);
        List<SettingFailure> failures = options.Enabled
            ?
            [
                .. topologies.Check(options.Topology.Provider),
                .. CheckPlatforms(topologies, options.Topology.Provider),
                .. memories.Check(options.Memory.Provider),
                .. affinities.Check(options.Affinity.Provider),
                .. HugePageSelection.Check(options.Memory, memories),
            ]
            : [];
        var topology = SelectTopology(topologies, options);
        if (topology is null || failures.Count > 0)
        {
            return new PlatformSelection(topology, null, null, failures);
        }

        var isForeign = IsForeign(topology, options.Topology);
        var memory = SelectFor(memories, MemoryNameOf(options), topology.Name, isForeign);
        var affinity = SelectFor(affinities, AffinityNameOf(options), topology.Name, isForeign);
        var notice = isForeign && options.Enabled ? NoticeFor(options) : null;
        return new PlatformSelection(topology, new NumaPlatform(topology, memory, affinity), notice, failures);
    }

    private static bool IsSameFolder(string left, string right) =>
        Path.TrimEndingDirectorySeparator(Path.GetFullPath(left)).Equals(right, StringComparison.Ordinal);

    private static NumaFallback? NoticeFor(NumaOptions options)
    {
        var left = (IsAuto(options.Affinity.Provider), IsAuto(options.Memory.Provider)) switch
        {
            (true, true) => "threads are not pinned and memory is not bound",
            (true, false) => "threads are not pinned",
            (false, true) => "memory is not bound",
            _ => null,
        };
        return left is null
            ? null
            : new NumaFallback(
                FallbackCatalog.TopologyRoot,
                $"The topology comes from SysfsRoot '{options.Topology.SysfsRoot}' and ProcRoot '{options.Topology.ProcRoot}', "
                + $"which may describe another machine: {left}.");
    }

    // When off, nothing is bound or pinned: the provider does not matter.
    private static string MemoryNameOf(NumaOptions options) => !options.Enabled
        ? ProviderCatalog<INumaMemoryProvider>.Auto
        : HugePageSelection.NameOf(options.Memory.HugePages) ?? options.Memory.Provider;

    private static string AffinityNameOf(NumaOptions options) =>
        options.Enabled ? options.Affinity.Provider : ProviderCatalog<INumaAffinityProvider>.Auto;

    private static bool IsAuto(string configured) => ProviderCatalog<object>.IsAuto(configured);

    private static IEnumerable<T> BuiltIn<T>(bool isLinux, Func<T> linux, T singleNode) =>
        isLinux ? [linux(), singleNode] : [singleNode];

    private static LinuxTopologyProvider CreateLinux(NumaTopologyOptions options) =>
        new(new LinuxTopologyOptions { SysfsRoot = options.SysfsRoot, ProcRoot = options.ProcRoot });

    // On other systems, Linux can still read a captured tree, because it needs only files.
    private ProviderCatalog<INumaTopologyProvider> Topologies(NumaTopologyOptions options, PluginSet loaded) => new(
        "Topology:Provider",
        [CreateLinux(options), new SingleNodeTopologyProvider(), .. _topologies, .. loaded.Topologies],
        static provider => provider.Name);

    private INumaTopologyProvider? SelectTopology(ProviderCatalog<INumaTopologyProvider> catalog, NumaOptions options)
    {
        // When off, the name may be that of a plugin that is not loaded.
        var named = catalog.Find(options.Topology.Provider);
        if (named is not null || (options.Enabled && !IsAuto(options.Topology.Provider)))
        {
            return named;
        }

        return isLinux ? catalog.Find(Linux)
            : catalog.Except(Linux, SingleNode) is [var plugin] ? plugin
            : catalog.Find(SingleNode);
    }

    private IEnumerable<SettingFailure> CheckPlatforms(ProviderCatalog<INumaTopologyProvider> catalog, string configured)
    {
        var plugins = catalog.Except(Linux, SingleNode);
        if (!isLinux && IsAuto(configured) && plugins.Length > 1)
        {
            var names = string.Join(", ", plugins.Select(static plugin => plugin.Name));
            yield return new SettingFailure(
                "Topology:Provider", configured, $"several platforms are registered, name one: {names}");
        }
    }

    // A platform supplies all three under one name; a missing part is supplied by the system.
    private T SelectFor<T>(ProviderCatalog<T> catalog, string configured, string platform, bool isForeign)
        where T : class
    {
        if (!IsAuto(configured))
        {
            return catalog.Find(configured)!;
        }

        return (isForeign ? null : catalog.Find(platform) ?? (isLinux ? catalog.Find(Linux) : null)) ?? catalog.Find(SingleNode)!;
    }
}

/// <summary>The providers selected by the options.</summary>
/// <param name="Topology">The topology provider, or <see langword="null"/> if it is unknown.</param>
/// <param name="Platform">All providers, or <see langword="null"/> if there are failures.</param>
/// <param name="Notice">The fallback of the selection, if any.</param>
/// <param name="Failures">Why there is no selection.</param>
internal sealed record PlatformSelection(
    INumaTopologyProvider? Topology,
    NumaPlatform? Platform,
    NumaFallback? Notice,
    IReadOnlyList<SettingFailure> Failures);

/// <summary>The platform chosen by code, which overrides all names.</summary>
internal sealed record ChosenPlatform(NumaPlatform Platform);

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
