using System.Collections;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using NumaSharp.Core;
using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Bench;

/// <summary>The machine of a measurement; also part of <see cref="BenchDocument"/>.</summary>
/// <param name="Cpu">The processor's name, or its architecture.</param>
/// <param name="Cpus">How many CPUs the process may use.</param>
/// <param name="Nodes">How many nodes.</param>
/// <param name="Kernel">The kernel's release.</param>
/// <param name="Runtime">The runtime's version.</param>
/// <param name="Date">When it was read, in UTC.</param>
/// <param name="LoadAverage">That of the last minute; <see langword="null"/> if the system does not report it.</param>
/// <param name="CpuQuota">How many CPUs' time its cgroup may use; <see langword="null"/> for all.</param>
/// <param name="Variables">The names of variables that are set and may change what is measured in this process.</param>
internal sealed record BenchMachine(
    string Cpu,
    int Cpus,
    int Nodes,
    string Kernel,
    string Runtime,
    string Date,
    double? LoadAverage,
    double? CpuQuota,
    IReadOnlyList<string> Variables)
{
    private const double QuietLoad = 0.5;

    // Quotas are whole microseconds of a period: 15.99 of 16 CPUs are 16.
    private const double QuotaTolerance = 0.05;

    // Every CPU has a paragraph in it.
    private const int CpuInfoLimit = 16 * 1024 * 1024;

    public static BenchMachine Read(NumaTopology topology, TreeReader files, IDictionary environment, TimeProvider time) => new(
        FindModel(files) ?? RuntimeInformation.ProcessArchitecture.ToString(),
        topology.AllowedCpus.Count,
        topology.NodeCount,
        $"Linux {files.Read("proc/sys/kernel/osrelease")}".TrimEnd(),
        RuntimeInformation.FrameworkDescription,
        time.GetUtcNow().ToString("yyyy-MM-ddTHH:mm:ssZ", CultureInfo.InvariantCulture),
        FindLoad(files),
        Machine.CpuQuota.Find(files)?.Cpus,
        BenchVariables.Find(environment));

    /// <summary>Why the figures are doubtful, or <see langword="null"/>: other programs ran before the measurement.</summary>
    public string? FindUnrest() => LoadAverage > QuietLoad
        ? string.Create(
            CultureInfo.InvariantCulture, $"The machine was not quiet: a load average of {LoadAverage:0.00} before the run.")
        : null;

    /// <summary>Why the figures are doubtful, or <see langword="null"/>: threads that exceed a quota are stopped.</summary>
    public string? FindShortage() => CpuQuota < Cpus - QuotaTolerance
        ? string.Create(
            CultureInfo.InvariantCulture,
            $"A CPU quota of the cgroup limits the figures: {CpuQuota:0.##} CPUs, where the process may use {Cpus}.")
        : null;

    /// <summary>Which figures are not those of the defaults, or <see langword="null"/>.</summary>
    public string? FindSettings() => Variables.Count > 0
        ? $"The environment has settings that may change all rows but those of HTTP: {string.Join(", ", Variables)}."
        : null;

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"{Cpu}, {Cpus} CPUs, {Nodes} nodes, {Kernel}, {Runtime}, {Date}");

    // Kernels of arm64 give none.
    private static string? FindModel(TreeReader files)
    {
        var lines = Encoding.UTF8.GetString(files.ReadBytes("proc/cpuinfo", CpuInfoLimit) ?? []).Split('\n');
        return lines.FirstOrDefault(static line => line.StartsWith("model name", StringComparison.Ordinal))
            ?.Split(':', 2)[^1].Trim();
    }

    private static double? FindLoad(TreeReader files) =>
        double.TryParse(
            files.Read("proc/loadavg")?.Split(' ')[0], NumberStyles.Float, CultureInfo.InvariantCulture, out var load)
            ? load
            : null;
}

/// <summary>
/// Variables of the environment that may change what is measured in this process. The servers of HTTP rows do not inherit them
/// (<c>LauncherProgram</c>).
/// </summary>
internal static class BenchVariables
{
    // Settings of the runtime and its profilers, and of malloc, which is a peer. What later runtimes add is included.
    private static readonly string[] s_prefixes =
        ["DOTNET_", "COMPlus_", "CORECLR_", "MALLOC_", "GLIBC_TUNABLES", "LD_PRELOAD"];

    // These are read by the host that finds the runtime, by the SDK, by images and applications, or change nothing of a row.
    private static readonly string[] s_harmless =
    [
        "DOTNET_ROOT", "DOTNET_ROLL_FORWARD", "DOTNET_BUNDLE_", "DOTNET_MULTILEVEL_LOOKUP", "DOTNET_HOST_",
        "DOTNET_CLI_", "DOTNET_NOLOGO", "DOTNET_SKIP_", "DOTNET_INSTALL_", "DOTNET_SDK_", "DOTNET_NUGET_", "DOTNET_NEW_",
        "DOTNET_ADD_", "DOTNET_GENERATE_", "DOTNET_WATCH", "DOTNET_USE_POLLING_", "DOTNET_VERSION", "DOTNET_RUNNING_IN_",
        "DOTNET_ENVIRONMENT", "DOTNET_URLS", "DOTNET_HTTP_PORTS", "DOTNET_HTTPS_PORTS", "DOTNET_SHUTDOWNTIMEOUTSECONDS",
        "DOTNET_SYSTEM_GLOBALIZATION_", "DOTNET_SYSTEM_CONSOLE_", "DOTNET_SYSTEM_NET_", "DOTNET_EnableDiagnostics", "DOTNET_Dbg",
        "DOTNET_TELEMETRY_",
    ];

    /// <summary>Their names in order; those without a value set nothing.</summary>
    public static string[] Find(IDictionary environment) =>
    [
        .. environment.Keys.Cast<string>()
            .Where(name => StartsWithAny(name, s_prefixes)
                && !StartsWithAny(name, s_harmless)
                && environment[name] is string { Length: > 0 })
            .Order(StringComparer.Ordinal),
    ];

    private static bool StartsWithAny(string name, string[] prefixes) =>
        prefixes.Any(prefix => name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase));
}
