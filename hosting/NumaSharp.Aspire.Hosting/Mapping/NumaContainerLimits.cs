using System.Globalization;
using Aspire.Hosting.ApplicationModel;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting.Mapping;

/// <summary>What a container engine is asked to hold a container to (docker-run(1), podman-run(1)).</summary>
/// <param name="Cpus">The CPUs, as a kernel list; all when <see langword="null"/>.</param>
/// <param name="Mems">The nodes whose memory it may use, as a kernel list; all when <see langword="null"/>.</param>
/// <param name="Capabilities">Capabilities that it gets beyond the engine's own.</param>
/// <param name="SecurityOptions">As of <c>--security-opt</c>.</param>
/// <param name="Limits">Resource limits by their names without <c>RLIMIT_</c>, in the units of getrlimit(2).</param>
internal sealed record NumaContainerLimits(
    string? Cpus,
    string? Mems,
    IReadOnlyList<string> Capabilities,
    IReadOnlyList<string> SecurityOptions,
    IReadOnlyList<(string Name, long Value)> Limits)
{
    /// <param name="settings">What is asked for.</param>
    /// <param name="topology">
    /// The machine of the engine; <see langword="null"/> where that is not known: only what the settings name is then asked for.
    /// </param>
    public static NumaContainerLimits From(NumaResourceSettings settings, NumaTopology? topology)
    {
        var (cpus, mems) = topology is not null && (settings.Nodes ?? settings.Cpus) is not null
            ? FenceIn(settings, topology)
            : (settings.Cpus, null);
        List<(string, long)> limits = [];
        if (settings.OpenFiles is { } files)
        {
            limits.Add(("nofile", files));
        }

        if (settings.LockedMemory is { } bytes)
        {
            limits.Add(("memlock", bytes));
        }

        return new NumaContainerLimits(
            cpus,
            mems,
            settings.AllowMemoryBinding ? ["SYS_NICE"] : [],
            settings.SeccompProfile is { } profile ? [$"seccomp={profile}"] : [],
            limits);
    }

    /// <summary>As arguments of the engine's run command.</summary>
    public IEnumerable<string> ToArguments() =>
    [
        .. Cpus is null ? Array.Empty<string>() : [$"--cpuset-cpus={Cpus}"],
        .. Mems is null ? Array.Empty<string>() : [$"--cpuset-mems={Mems}"],
        .. Capabilities.Select(static name => $"--cap-add={name}"),
        .. SecurityOptions.Select(static option => $"--security-opt={option}"),
        .. Limits.Select(static limit =>
            string.Create(CultureInfo.InvariantCulture, $"--ulimit={limit.Name}={limit.Value}:{limit.Value}")),
    ];

    private static (string Cpus, string? Mems) FenceIn(NumaResourceSettings settings, NumaTopology topology)
    {
        var plan = NumaFence.PlanOf(settings, topology);
        return ($"{plan.Cpus}", KnowsMemory(settings)
            ? $"{CpuSet.FromIds(plan.Nodes.SelectMany(static node => node.MemoryNodeIds).Select(static id => id.Value))}"
            : null);
    }

    // Where memory comes from may be said by settings that are not read here, such as Binding:Map; it is not taken away then.
    private static bool KnowsMemory(NumaResourceSettings settings) =>
        settings.MemoryPolicy is not NumaMemoryPolicy.Custom
        && !settings.Settings.Keys.Any(static key => key.StartsWith("Binding:", StringComparison.OrdinalIgnoreCase));
}
