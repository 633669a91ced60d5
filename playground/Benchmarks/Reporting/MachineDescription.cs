using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.Json;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Reporting;

/// <summary>The machine and the method of the measurement.</summary>
internal sealed record MachineDescription(
    string Cpu, int Cores, string Kernel, string Runtime, string Date, string Method, IReadOnlyList<string> Notes)
{
    public static MachineDescription OfThisMachine(TimeProvider time, string method, IReadOnlyList<string> notes) => new(
        CpuModel(File.ReadLines("/proc/cpuinfo")),
        BenchmarkCpus.AllowedCpus(Environment.ProcessId).Count,
        "Linux " + File.ReadAllText("/proc/sys/kernel/osrelease").Trim(),
        RuntimeInformation.FrameworkDescription,
        time.GetUtcNow().ToString("yyyy-MM-ddTHH:mm:ssZ", CultureInfo.InvariantCulture),
        method,
        notes);

    /// <summary>The "model name" of /proc/cpuinfo; arm64 kernels do not give one.</summary>
    public static string CpuModel(IEnumerable<string> cpuInfo) =>
        cpuInfo.FirstOrDefault(line => line.StartsWith("model name", StringComparison.Ordinal)) is { } line
        && line.IndexOf(':', StringComparison.Ordinal) is >= 0 and var colon
            ? line[(colon + 1)..].Trim()
            : RuntimeInformation.ProcessArchitecture.ToString();

    /// <summary>Why /proc/loadavg makes the figures doubtful, or null: other programs ran before the run began.</summary>
    public static string? Unrest(string loadAverage)
    {
        const double Quiet = 0.5;
        var lastMinute = loadAverage.Split(' ')[0];
        return double.Parse(lastMinute, CultureInfo.InvariantCulture) > Quiet
            ? $"the machine was not quiet: a load average of {lastMinute} before the run"
            : null;
    }

    public void WriteTo(Utf8JsonWriter writer)
    {
        writer.WriteStartObject();
        writer.WriteString("cpu", Cpu);
        writer.WriteNumber("cores", Cores);
        writer.WriteString("kernel", Kernel);
        writer.WriteString("runtime", Runtime);
        writer.WriteString("date", Date);
        writer.WriteString("method", Method);
        writer.WriteStartArray("notes");
        foreach (var note in Notes)
        {
            writer.WriteStringValue(note);
        }

        writer.WriteEndArray();
        writer.WriteEndObject();
    }

    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Cpu}, {Cores} CPUs, {Kernel}, {Runtime}, {Date}");
}
