using System.Text.RegularExpressions;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Doctor;

namespace NumaSharp.Tool.Tests.Doctor;

public sealed partial class DoctorCommandTests : IDisposable
{
    private const string OneCpuEach = "--Numa:Affinity:Granularity=Cpu";

    private readonly MachineTree _tree = MachineTree.TwoNodes();

    public void Dispose() => _tree.Dispose();

    [Fact]
    public async Task Run_HealthyMachine_SaysSoAndWhatWasLeftOut()
    {
        var run = await Run();
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.Equal(
            """
            Nothing found.
            Skipped, because they need the running system: mbind-refused, pinning-refused, move-pages-refused.

            """,
            Trimmed(run.Output));
    }

    [Theory]
    [InlineData("\uFEFF{ \"runtimeOptions\": { \"configProperties\": { \"System.GC.Server\": true, } } } // by hand", 0)]
    [InlineData("{ \"runtimeOptions\": { \"configProperties\": { \"System.GC.Server\": 1, \"System.GC.Server\": 0 } } }", 2)]
    public async Task App_RuntimeConfigAsHostsReadIt_IsReadOrRefused(string json, int exitCode)
    {
        await File.WriteAllTextAsync(_tree.PathOf("app.json"), json, TestContext.Current.CancellationToken);
        var run = await Run("--app", _tree.PathOf("app.json"), "--fail-on", "never");
        Assert.True(run.ExitCode == exitCode, run.Error);
        Assert.Equal(exitCode == 0, run.Error.Length == 0);
    }

    [Theory]
    [InlineData("info", 1)]
    [InlineData("warning", 1)]
    [InlineData("error", 0)]
    [InlineData("never", 0)]
    public async Task Run_AWarning_FailsFromItsSeverityOn(string failOn, int exitCode)
    {
        _tree.Write("proc/sys/kernel/numa_balancing", "1\n");
        Assert.Equal(exitCode, (await Run("--fail-on", failOn)).ExitCode);
    }

    [Fact]
    public async Task Run_Findings_AreReportedWorstFirstWithEvidenceAndAdvice()
    {
        _tree.Write("proc/sys/kernel/numa_balancing", "1\n").Write("proc/sys/vm/overcommit_memory", "2\n");
        var run = await Run();
        Assert.Equal(
            """
            warning numa-balancing
                Automatic NUMA balancing is on: it unmaps pages to see which threads use them. Pinned threads
                take the page faults and gain nothing.
                /proc/sys/kernel/numa_balancing: 1
                Fix: sysctl -w kernel.numa_balancing=0

            info overcommit
            """,
            string.Join('\n', Trimmed(run.Output).Split('\n').Take(7)));
        Assert.Contains("Found: 1 warning, 1 info.", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Json_Findings_HaveTheirFields()
    {
        _tree.Write("proc/sys/kernel/numa_balancing", "1\n");
        var run = await Run("--format", "json");
        Assert.Equal(ExitCodes.Findings, run.ExitCode);
        var finding = Assert.Single(run.Json.GetProperty("findings").EnumerateArray());
        Assert.Equal("numa-balancing", finding.GetProperty("id").GetString());
        Assert.Equal("warning", finding.GetProperty("severity").GetString());
        Assert.Equal("1", finding.GetProperty("evidence")[0].GetProperty("value").GetString());
        Assert.Equal(3, run.Json.GetProperty("leftOut").GetArrayLength());
    }

    [Fact]
    public async Task Run_SettingsThatDoNotFit_AreExitCode2()
    {
        var run = await Run("--Numa:Binding:Nodes=7");
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.StartsWith("Numa:Binding:Nodes = '7'", run.ErrorLine, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--fail-on", "sometimes")]
    [InlineData("--app", "/nowhere.json")]
    public async Task Run_ArgumentThatCannotBeUsed_IsOneLineAndExitCode2(params string[] args)
    {
        var run = await Run(args);
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Contains(args[1], run.ErrorLine, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Measure_AnotherMachine_IsRefused()
    {
        var run = await Run("--measure");
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.StartsWith("--measure cannot be combined with --root", run.ErrorLine, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_ThisMachine_LeavesNothingOut()
    {
        var run = await ToolRun.Of("doctor", "--format", "json", "--fail-on", "never");
        Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
        Assert.Empty(run.Json.GetProperty("leftOut").EnumerateArray());
    }

    [Fact]
    public async Task Measure_ThisMachine_SaysWhatPinningGains()
    {
        var run = await ToolRun.Of("doctor", "--measure", OneCpuEach, "--format", "json", "--fail-on", "never");
        Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
        var finding = Assert.Single(
            run.Json.GetProperty("findings").EnumerateArray(),
            static finding => finding.GetProperty("id").GetString() == "measured-pinning");

        // On one CPU both ways are the same; and what runs beside this test may have a higher priority.
        Assert.Matches(
            " times what floating ones did |^not measured: (with these settings|not all threads got a CPU)",
            finding.GetProperty("evidence")[0].GetProperty("value").GetString());
    }

    [Fact]
    public async Task Measure_Cancelled_SaysSoAndEndsAsShellsHaveIt()
    {
        using var output = new StringWriter();
        using var error = new StringWriter { NewLine = "\n" };
        var exitCode = await NumaCommand.RunAsync(
            ["doctor", "--measure", OneCpuEach], new ToolConsole(output, error), new CancellationToken(canceled: true));
        Assert.Equal((ExitCodes.Cancelled, "cancelled\n", ""), (exitCode, error.ToString(), output.ToString()));
    }

    [Fact]
    public void Checks_AreThoseOfTheReference()
    {
        var documented = Row().Matches(File.ReadAllText(Repository.PathOf("docs", "reference", "doctor.md")))
            .Select(static row => row.Groups[1].Value);
        Assert.Equal(
            DoctorChecks.All.Select(static check => check.Id).Order(StringComparer.Ordinal),
            documented.Order(StringComparer.Ordinal));
    }

    private Task<ToolRun> Run(params string[] args) => ToolRun.Of(["doctor", "--root", _tree.PathOf(""), .. args]);

    // Widgets fill their lines.
    private static string Trimmed(string text) => string.Join('\n', text.Split('\n').Select(static line => line.TrimEnd()));

    [GeneratedRegex("^\\| `([a-z-]+)` \\|", RegexOptions.Multiline, Timeout.Infinite)]
    private static partial Regex Row();
}
