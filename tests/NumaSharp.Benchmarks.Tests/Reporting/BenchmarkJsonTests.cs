using System.Text;
using System.Text.Json;
using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Benchmarks.Tests.Reporting;

public sealed class BenchmarkJsonTests
{
    private static readonly string[] s_withoutTargets = ["name", "peer", "ours", "theirs", "unit", "ratio"];

    private static readonly MachineDescription s_machine =
        new("Model X", 2, "Linux 6.1", ".NET 10", "2026-01-02T03:04:05Z", "http", ["a note"]);

    [Fact]
    public void Write_Rows_HasTheAgreedShape()
    {
        var json = Write(
            BenchmarkRow.Cost("ping cpu", "Kestrel", 12, 24, "us/request", new RowTarget(0.6, 0.4)),
            BenchmarkRow.Rate("ping rate", "Kestrel", 200, 100, "requests/s", new RowTarget(null, 0.625)),
            BenchmarkRow.Cost("ping p99", "Kestrel", 1, 2, "ms", new RowTarget(null, null)));

        Assert.Equal(["machine", "rows"], json.EnumerateObject().Select(property => property.Name));
        var rows = json.GetProperty("rows").EnumerateArray().ToArray();
        Assert.Equal([.. s_withoutTargets, "required", "goal"], Names(rows[0]));
        Assert.Equal([.. s_withoutTargets, "goal"], Names(rows[1]));
        Assert.Equal(s_withoutTargets, Names(rows[2]));
        Assert.Equal("ping cpu", rows[0].GetProperty("name").GetString());
        Assert.Equal(0.5, rows[0].GetProperty("ratio").GetDouble());
        Assert.Equal(0.6, rows[0].GetProperty("required").GetDouble());
        Assert.Equal(200, rows[1].GetProperty("ours").GetDouble());
        Assert.Equal(0.5, rows[1].GetProperty("ratio").GetDouble());
    }

    [Fact]
    public void Write_RowOfRounds_HasItsSpread()
    {
        var ping = BenchmarkRow.Cost("ping cpu", "Kestrel", 12, 24, "us/request", default);
        var rows = WriteMeasured(new MeasuredRow(ping, 0.1234567), new MeasuredRow(ping, double.NaN))
            .GetProperty("rows").EnumerateArray().ToArray();

        Assert.Equal([.. s_withoutTargets, "spread"], Names(rows[0]));
        Assert.Equal(0.1235, rows[0].GetProperty("spread").GetDouble());
        Assert.Equal(s_withoutTargets, Names(rows[1]));
    }

    [Fact]
    public void Read_WhatWasWritten_IsTheSame()
    {
        using var folder = new TemporaryFolder();
        var file = folder.PathOf("pool.json");
        var written = new BenchmarkResult(
            s_machine with { Nodes = 2, IsVirtual = false, Command = "all" },
            [
                new(BenchmarkRow.Cost("single", "Kestrel", 1.23456, 2, "ns/op", new RowTarget(0.6, 0.5)), 0.1),
                new(BenchmarkRow.Limit("bytes", 3, 0, "bytes"), null),
            ]);
        using (var stream = File.Create(file))
        {
            BenchmarkJson.Write(stream, written);
        }

        var read = BenchmarkJson.Read(file);

        Assert.Equal(written.Machine.Notes, read.Machine.Notes);
        Assert.Equal(written.Machine, read.Machine with { Notes = written.Machine.Notes });
        Assert.Equal(written.Rows.Select(Fields), read.Rows.Select(Fields));
    }

    [Theory]
    [InlineData("")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("""{ "machine": { "cpu": null }, "rows": [] }""")]
    [InlineData("""{ "machine": { "cpu": 1 }, "rows": [] }""")]
    public void Read_WhatIsNoResult_SaysWhichFile(string text)
    {
        using var folder = new TemporaryFolder();
        var file = folder.PathOf("http.json");
        File.WriteAllText(file, text);

        Assert.StartsWith(
            $"{file} is no result of a benchmark: ",
            Assert.Throws<BenchmarkException>(() => BenchmarkJson.Read(file)).Message,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("flags\t\t: fpu vme hypervisor lahf_lm", true)]
    [InlineData("flags\t\t: fpu vme", false)]
    [InlineData("Features\t: fp asimd", null)]
    public void HasHypervisor_CpuInfo_IsAFlagWhereThereAreFlags(string line, bool? expected) =>
        Assert.Equal(expected, MachineDescription.HasHypervisor(["processor\t: 0", line]));

    [Fact]
    public void Write_Machine_NamesCpuCoresKernelRuntimeAndDate()
    {
        var machine = Write().GetProperty("machine");

        Assert.Equal("Model X", machine.GetProperty("cpu").GetString());
        Assert.Equal(2, machine.GetProperty("cores").GetInt32());
        Assert.Equal("Linux 6.1", machine.GetProperty("kernel").GetString());
        Assert.Equal(".NET 10", machine.GetProperty("runtime").GetString());
        Assert.Equal("2026-01-02T03:04:05Z", machine.GetProperty("date").GetString());
        Assert.Equal("a note", machine.GetProperty("notes")[0].GetString());
    }

    [Fact]
    public void CpuModel_X64_IsTheModelName() =>
        Assert.Equal("AMD EPYC", MachineDescription.CpuModel(["processor\t: 0", "model\t\t: 2", "model name\t: AMD EPYC"]));

    [Fact]
    public void CpuModel_WithoutModelName_IsTheArchitecture() =>
        Assert.NotEmpty(MachineDescription.CpuModel(["processor\t: 0", "CPU implementer\t: 0x41"]));

    [Theory]
    [InlineData("0.12 3.00 4.00 1/200 12345\n", null)]
    [InlineData("2.40 0.10 0.10 3/200 12345\n", "2.40")]
    public void Unrest_LoadAverage_IsNamedWhenOthersWork(string loadAverage, string? expected)
    {
        var note = MachineDescription.Unrest(loadAverage);

        Assert.Equal(expected is not null, note?.Contains(expected!, StringComparison.Ordinal) ?? false);
    }

    private static IEnumerable<string> Names(JsonElement row) => row.EnumerateObject().Select(property => property.Name);

    private static (string, string, double, double, string, double, RowTarget, double?) Fields(MeasuredRow measured) => (
        measured.Row.Name, measured.Row.Peer, measured.Row.Ours, measured.Row.Theirs, measured.Row.Unit, measured.Row.Ratio,
        measured.Row.Target, measured.Spread);

    private static JsonElement Write(params BenchmarkRow[] rows) =>
        WriteMeasured([.. rows.Select(static row => new MeasuredRow(row, null))]);

    private static JsonElement WriteMeasured(params MeasuredRow[] rows)
    {
        using var stream = new MemoryStream();
        BenchmarkJson.Write(stream, new BenchmarkResult(s_machine, rows));
        return JsonDocument.Parse(Encoding.UTF8.GetString(stream.ToArray())).RootElement.Clone();
    }
}
