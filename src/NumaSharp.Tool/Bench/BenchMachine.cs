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
internal sealed record BenchMachine(
    string Cpu, int Cpus, int Nodes, string Kernel, string Runtime, string Date, double? LoadAverage)
{
    private const double QuietLoad = 0.5;

    // Every CPU has a paragraph in it.
    private const int CpuInfoLimit = 16 * 1024 * 1024;

    public static BenchMachine Read(NumaTopology topology, TreeReader files, TimeProvider time) => new(
        FindModel(files) ?? RuntimeInformation.ProcessArchitecture.ToString(),
        topology.AllowedCpus.Count,
        topology.NodeCount,
        $"Linux {files.Read("proc/sys/kernel/osrelease")}".TrimEnd(),
        RuntimeInformation.FrameworkDescription,
        time.GetUtcNow().ToString("yyyy-MM-ddTHH:mm:ssZ", CultureInfo.InvariantCulture),
        FindLoad(files));

    /// <summary>Why the figures are doubtful, or <see langword="null"/>: other programs ran before the measurement.</summary>
    public string? FindUnrest() => LoadAverage > QuietLoad
        ? string.Create(
            CultureInfo.InvariantCulture, $"The machine was not quiet: a load average of {LoadAverage:0.00} before the run.")
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
