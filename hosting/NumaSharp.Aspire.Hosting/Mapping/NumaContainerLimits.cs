using System.Globalization;
using Aspire.Hosting.ApplicationModel;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting.Mapping;

/// <summary>The limits that a container engine is to apply to a container (docker-run(1), podman-run(1)).</summary>
/// <param name="Cpus">The CPUs, as a kernel list; all when <see langword="null"/>.</param>
/// <param name="Mems">The nodes with memory it may use, as a kernel list; all when <see langword="null"/>.</param>
/// <param name="Capabilities">Capabilities in addition to the engine's defaults.</param>
/// <param name="SecurityOptions">The values of <c>--security-opt</c>.</param>
/// <param name="Limits">Resource limits by name, without <c>RLIMIT_</c>, in the units of getrlimit(2).</param>
internal sealed record NumaContainerLimits(
    string? Cpus,
    string? Mems,
    IReadOnlyList<string> Capabilities,
    IReadOnlyList<string> SecurityOptions,
    IReadOnlyList<(string Name, long Value)> Limits)
{
    /// <param name="options">The resource's settings.</param>
    /// <param name="topology">
    /// The engine's machine; <see langword="null"/> if unknown: then only what the settings name is requested.
    /// </param>
    public static NumaContainerLimits From(NumaResourceOptions options, NumaTopology? topology)
    {
        var (cpus, mems) = topology is not null && (options.Nodes ?? options.Cpus) is not null
            ? FenceIn(options, topology)
            : (options.Cpus, null);
        List<(string, long)> limits = [];
        if (options.OpenFiles is { } files)
        {
            limits.Add(("nofile", files));
        }

        if (options.LockedMemoryBytes is { } bytes)
        {
            limits.Add(("memlock", bytes));
        }

        return new NumaContainerLimits(
            cpus,
            mems,
            options.AllowMemoryBinding ? ["SYS_NICE"] : [],
            options.SeccompProfile is { } profile ? [$"seccomp={profile}"] : [],
            limits);
    }

    /// <summary>The limits as arguments of the engine's run command.</summary>
    public IEnumerable<string> ToArguments() =>
    [
        .. Cpus is null ? Array.Empty<string>() : [$"--cpuset-cpus={Cpus}"],
        .. Mems is null ? Array.Empty<string>() : [$"--cpuset-mems={Mems}"],
        .. Capabilities.Select(static name => $"--cap-add={name}"),
        .. SecurityOptions.Select(static option => $"--security-opt={option}"),
        .. Limits.Select(static limit =>
            string.Create(CultureInfo.InvariantCulture, $"--ulimit={limit.Name}={limit.Value}:{limit.Value}")),
    ];

    private static (string Cpus, string? Mems) FenceIn(NumaResourceOptions options, NumaTopology topology)
    {
        var plan = NumaFence.PlanOf(options, topology);
        return ($"{plan.Cpus}", KnowsMemory(options)
            ? $"{CpuSet.FromIds(plan.Nodes.SelectMany(static node => node.MemoryNodeIds).Select(static id => id.Value))}"
            : null);
    }

    // Settings not read here, such as Binding:Map, may take memory from other nodes; then memory is not restricted.
    private static bool KnowsMemory(NumaResourceOptions options) =>
        options.MemoryPolicy is not NumaMemoryPolicy.Custom
        && !options.Settings.Keys.Any(static key => key.StartsWith("Binding:", StringComparison.OrdinalIgnoreCase));
}
