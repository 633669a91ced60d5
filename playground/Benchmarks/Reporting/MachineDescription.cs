using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.Json;
using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Reporting;

/// <summary>The machine and the method of the measurement.</summary>
internal sealed record MachineDescription(
    string Cpu, int Cores, string Kernel, string Runtime, string Date, string Method, IReadOnlyList<string> Notes)
{
    private const string CpuInfo = "/proc/cpuinfo";

    /// <summary>How many nodes the process may use; null in a file that does not say.</summary>
    public int? Nodes { get; init; }

    /// <summary>Whether a hypervisor is below the kernel; null where the processor or the file does not say.</summary>
    public bool? IsVirtual { get; init; }

    /// <summary>What measures it again.</summary>
    public string? Command { get; init; }

    public static MachineDescription OfThisMachine(TimeProvider time, string method, IReadOnlyList<string> notes) => new(
        CpuModel(File.ReadLines(CpuInfo)),
        BenchmarkCpus.AllowedCpus(Environment.ProcessId).Count,
        "Linux " + File.ReadAllText("/proc/sys/kernel/osrelease").Trim(),
        RuntimeInformation.FrameworkDescription,
        time.GetUtcNow().ToString("yyyy-MM-ddTHH:mm:ssZ", CultureInfo.InvariantCulture),
        method,
        notes)
    {
        Nodes = NumaTopology.Instance.NodeCount,
        IsVirtual = HasHypervisor(File.ReadLines(CpuInfo)),
    };

    public static MachineDescription Read(JsonElement machine)
    {
        return new MachineDescription(
            Text("cpu"),
            machine.GetProperty("cores").GetInt32(),
            Text("kernel"),
            Text("runtime"),
            Text("date"),
            Text("method"),
            [.. machine.GetProperty("notes").EnumerateArray().Select(static note => note.GetString() ?? string.Empty)])
        {
            Nodes = machine.TryGetProperty("nodes", out var nodes) ? nodes.GetInt32() : null,
            IsVirtual = machine.TryGetProperty("virtual", out var isVirtual) ? isVirtual.GetBoolean() : null,
            Command = machine.TryGetProperty("command", out var command) ? command.GetString() : null,
        };

        string Text(string name) =>
            machine.GetProperty(name).GetString() ?? throw new FormatException($"'{name}' of the machine is null");
    }

    /// <summary>Whether the "flags" of /proc/cpuinfo have a hypervisor's; null on arm64, which has no such flag.</summary>
    public static bool? HasHypervisor(IEnumerable<string> cpuInfo) =>
        cpuInfo.FirstOrDefault(static line => line.StartsWith("flags", StringComparison.Ordinal)) is { } flags
            ? flags.Split(' ').Contains("hypervisor", StringComparer.Ordinal)
            : null;

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
        if (Nodes is { } nodes)
        {
            writer.WriteNumber("nodes", nodes);
        }

        if (IsVirtual is { } isVirtual)
        {
            writer.WriteBoolean("virtual", isVirtual);
        }

        writer.WriteString("kernel", Kernel);
        writer.WriteString("runtime", Runtime);
        writer.WriteString("date", Date);
        if (Command is { } command)
        {
            writer.WriteString("command", command);
        }

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
