using System.Text.Json;
using NumaSharp.Core;
using NumaSharp.Tool.Bench;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Machine;
using NumaSharp.Tool.Tests.Run;

namespace NumaSharp.Tool.Tests.Bench;

public sealed class BenchOutputTests : IDisposable
{
    private const string Missing = "there is no other node with memory";

    private static readonly BenchRow s_row = new("ping cpu", "Kestrel's sockets", "us/request", IsPinned: true, static _ => []);
    private static readonly BenchResult s_result = new(s_row, new BenchRound(9.123456, 18.25), 0.034, Reason: null);
    private static readonly BenchResult s_missing = BenchResult.WithoutFigures(s_row with { Name = "memory" }, Missing);

    private readonly MachineTree _tree = MachineTree.TwoNodes()
        .Write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz: fast\nflags\t: fpu\n\nprocessor\t: 1\n")
        .Write("proc/sys/kernel/osrelease", "6.12.0\n")
        .Write("proc/loadavg", "2.31 1.00 0.50 1/100 42\n");

    private readonly Dictionary<string, string> _environment = new(StringComparer.Ordinal);

    public void Dispose() => _tree.Dispose();

    [Fact]
    public void Text_Rows_HaveMachineNotesTableAndWhatIsMissing()
    {
        var text = Write(OutputFormat.Text, s_result, s_missing);

        Assert.Contains("Some CPU @ 2 GHz: fast, 8 CPUs, 2 nodes, Linux 6.12.0, .NET ", text, StringComparison.Ordinal);
        Assert.Contains("The machine was not quiet: a load average of 2.31 before the run.", text, StringComparison.Ordinal);
        Assert.Equal(
            ["ping cpu", "9.12", "18.25", "us/request", "0.50", "3 %", "Kestrel's sockets"],
            text.Split('\n').Single(static line => line.Contains("ping cpu", StringComparison.Ordinal))
                .Split('\u2502', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries));
        Assert.Contains($"Not measured: memory: {Missing}", text, StringComparison.Ordinal);
        Assert.Contains("less is better", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Json_Rows_HaveFiguresOrAReason()
    {
        var text = Write(OutputFormat.Json, s_result, s_missing);
        using var json = JsonDocument.Parse(text);
        var (machine, rows) = (json.RootElement.GetProperty("machine"), json.RootElement.GetProperty("rows"));

        Assert.Equal("Some CPU @ 2 GHz: fast", machine.GetProperty("cpu").GetString());
        Assert.Equal((8, 2), (machine.GetProperty("cpus").GetInt32(), machine.GetProperty("nodes").GetInt32()));
        Assert.Equal(2.31, machine.GetProperty("loadAverage").GetDouble());
        Assert.Equal("Linux 6.12.0", machine.GetProperty("kernel").GetString());
        Assert.Contains(
            "not quiet", json.RootElement.GetProperty("notes")[0].GetString(), StringComparison.Ordinal);
        Assert.Contains("median", json.RootElement.GetProperty("method").GetString(), StringComparison.Ordinal);
        Assert.Equal(
            (9.1235, 18.25, 0.4999, 0.034),
            (Figure(rows[0], "ours"), Figure(rows[0], "theirs"), Figure(rows[0], "ratio"), Figure(rows[0], "spread")));
        Assert.Equal(Missing, rows[1].GetProperty("reason").GetString());
        foreach (var figure in (string[])["ours", "theirs", "ratio", "spread"])
        {
            Assert.Equal(JsonValueKind.Null, rows[1].GetProperty(figure).ValueKind);
        }

        static double Figure(JsonElement row, string name) => row.GetProperty(name).GetDouble();
    }

    [Theory]
    [InlineData("0.50 0.10 0.10 1/100 42")]
    [InlineData("")]
    public void Notes_QuietOrUnknownLoad_SayNothingOfIt(string load)
    {
        _tree.Write("proc/loadavg", load);
        Assert.Null(ReadMachine().FindUnrest());
    }

    [Theory]
    [InlineData("150000 100000", 1.5, "A CPU quota of the cgroup limits the figures: 1.5 CPUs, where the process may use 8.")]
    [InlineData("800000 100000", 8.0, null)]
    [InlineData("max 100000", null, null)]
    public void Notes_CpuQuota_IsNamedWhereItIsBelowTheCpus(string quota, double? cpus, string? note)
    {
        _tree.Write("proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n")
            .Write("proc/self/cgroup", "0::/job\n")
            .Write("sys/fs/cgroup/job/cpuset.cpus.effective", "0-7\n")
            .Write("sys/fs/cgroup/job/cpuset.mems.effective", "0-1\n")
            .Write("sys/fs/cgroup/job/cpu.max", quota + "\n");

        Assert.Equal((cpus, note), (ReadMachine().CpuQuota, ReadMachine().FindShortage()));
    }

    [Fact]
    public void Notes_VariablesThatChangeRows_AreNamed()
    {
        _environment["DOTNET_TieredCompilation"] = "0";
        _environment["DOTNET_gcServer"] = "1";
        _environment["COMPlus_ReadyToRun"] = "0";
        _environment["LD_PRELOAD"] = "libjemalloc.so";
        const string Note = "The environment has settings that may change all rows but those of HTTP: "
            + "COMPlus_ReadyToRun, DOTNET_TieredCompilation, DOTNET_gcServer, LD_PRELOAD.";

        Assert.Equal(Note, ReadMachine().FindSettings());
        using var json = JsonDocument.Parse(Write(OutputFormat.Json, s_result));
        Assert.Equal(4, json.RootElement.GetProperty("machine").GetProperty("variables").GetArrayLength());
        Assert.Contains(
            Note, json.RootElement.GetProperty("notes").EnumerateArray().Select(static note => note.GetString()));
    }

    [Fact]
    public void Notes_VariablesThatChangeNothing_AreNotNamed()
    {
        foreach (var name in (string[])
            ["PATH", "DOTNET_ROOT", "DOTNET_ROOT_X64", "DOTNET_RUNNING_IN_CONTAINER", "DOTNET_CLI_HOME", "ASPNETCORE_URLS"])
        {
            _environment[name] = "some";
        }

        _environment["DOTNET_gcServer"] = "";
        Assert.Null(ReadMachine().FindSettings());
    }

    [Fact]
    public void Read_ProcessorWithoutAName_HasItsArchitecture()
    {
        _tree.Write("proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 50.00\n");
        Assert.DoesNotContain("Bogo", ReadMachine().Cpu, StringComparison.Ordinal);
        Assert.NotEmpty(ReadMachine().Cpu);
    }

    [Fact]
    public void Write_NothingMeasured_IsAnErrorWithTheFirstReason() => Assert.Equal(
        $"Nothing could be measured. memory: {Missing}",
        Assert.Throws<ToolException>(() => Write(OutputFormat.Text, s_missing)).Message);

    private string Write(OutputFormat format, params BenchResult[] results)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var errors = new StringWriter { NewLine = "\n" };
        var context = new BenchContext(
            NumaPlatform.Default, _tree.Read(), BenchLengths.Quick, NodeRun.Launcher, CancellationToken.None);
        BenchCommand.Write(new ToolConsole(output, errors, 120), BenchDocument.Of(ReadMachine(), context, results), format);
        return output.ToString();
    }

    private BenchMachine ReadMachine() => BenchMachine.Read(
        _tree.Read(), new TreeReader(_tree.PathOf("")), _environment, TimeProvider.System);
}
