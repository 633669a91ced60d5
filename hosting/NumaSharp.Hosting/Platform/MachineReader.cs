using System.Collections.Concurrent;
using NumaSharp.Core;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Platform;

/// <summary>
/// Reads the machine once per selection, so that the plan uses what was validated, and options that are created again (snapshots,
/// monitors) do not read sysfs again. Thread-safe: threads that read the same at the same time all get what the first one has
/// read. None of them waits: a provider may be a plugin's, and may itself wait for a thread that needs the machine.
/// </summary>
internal sealed class MachineReader(PlatformSelector selector, NumaFallbacks fallbacks)
{
    private readonly ConcurrentDictionary<Selection, Machine> _machines = new();

    public Machine Read(NumaOptions options)
    {
        var key = new Selection(
            options.Enabled,
            options.Topology.Provider,
            options.Topology.SysfsRoot,
            options.Topology.ProcRoot,
            options.Memory.Provider,
            options.Memory.HugePages,
            options.Affinity.Provider,
            string.Join(Path.PathSeparator, options.Plugins.Select(static plugin => plugin.Assembly + "?" + plugin.Sha256)));
        if (_machines.TryGetValue(key, out var known))
        {
            return known;
        }

        var machine = ReadNow(options);
        return machine.Failures.Count == 0 ? _machines.GetOrAdd(key, machine) : machine;
    }

    private Machine ReadNow(NumaOptions options)
    {
        var selection = selector.Select(options);
        if (selection.Topology is not { } provider)
        {
            return new Machine(null, null, selection.Failures);
        }

        try
        {
            // Also if another provider is missing, so that settings the machine cannot satisfy are reported together with that.
            var topology = ReadFrom(provider);
            Report(selection.Notice);
            Report(topology.Warnings.Count == 0
                ? null
                : new NumaFallback(FallbackCatalog.TopologyRead, string.Join("; ", topology.Warnings)));
            return new Machine(WithHugePages(selection.Platform, options), topology, selection.Failures);
        }
        catch (NumaSettingException exception)
        {
            return new Machine(null, null, [.. selection.Failures, .. SettingFailure.From(exception)]);
        }
        catch (NumaException exception)
        {
            return selection.Platform is not null && IsOptional(provider, options)
                ? UseOneNode(exception)
                : new Machine(null, null, [.. selection.Failures, FailureFor(exception, provider, options)]);
        }
    }

    private NumaPlatform? WithHugePages(NumaPlatform? platform, NumaOptions options) =>
        platform is not null && options is { Enabled: true, Memory.HugePages: NumaHugePageUse.Transparent }
            ? platform with { Memory = new TransparentHugePageMemoryProvider(platform.Memory, fallbacks) }
            : platform;

    private static NumaTopology ReadFrom(INumaTopologyProvider provider)
    {
        try
        {
            return provider.Read()
                ?? throw new NumaException($"The provider {provider.Name} returned no topology (null).");
        }
        catch (Exception exception) when (exception is not NumaException)
        {
            // A provider may be third-party code: an unexpected exception still names the key that selected it.
            throw new NumaException(
                $"The provider {provider.Name} failed with {exception.GetType().Name}: {exception.Message}", exception);
        }
    }

    // This provider or tree was not requested, or its result is not used: an unreadable machine still serves.
    private bool IsOptional(INumaTopologyProvider provider, NumaOptions options) =>
        !options.Enabled
        || (!selector.IsChosenInCode
            && ProviderCatalog<INumaTopologyProvider>.IsAuto(options.Topology.Provider)
            && !PlatformSelector.IsForeign(provider, options.Topology));

    private static SettingFailure FailureFor(NumaException exception, INumaTopologyProvider provider, NumaOptions options) =>
        PlatformSelector.IsForeign(provider, options.Topology)
            ? new SettingFailure("Topology:SysfsRoot", options.Topology.SysfsRoot, exception.Message)
            : new SettingFailure("Topology:Provider", options.Topology.Provider, exception.Message);

    private Machine UseOneNode(NumaException exception)
    {
        var platform = PlatformSelector.OneNode;
        Report(new NumaFallback(
            FallbackCatalog.TopologyRead,
            $"{exception.Message} The machine is treated as one node; nothing is pinned or bound."));
        return new Machine(platform, platform.Topology.Read(), []);
    }

    private void Report(NumaFallback? fallback)
    {
        if (fallback is not null)
        {
            fallbacks.Report(fallback);
        }
    }

    private sealed record Selection(
        bool Enabled,
        string Topology,
        string SysfsRoot,
        string ProcRoot,
        string Memory,
        NumaHugePageUse HugePages,
        string Affinity,
        string Plugins);
}

/// <summary>The machine selected by the options, as read; without a platform if there are failures.</summary>
/// <param name="Platform">The providers.</param>
/// <param name="Topology">The result of the topology provider, if it could read.</param>
/// <param name="Failures">Why there is no platform.</param>
internal sealed record Machine(NumaPlatform? Platform, NumaTopology? Topology, IReadOnlyList<SettingFailure> Failures);
