using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Plan;

namespace NumaSharp.Tool.Tests.Plan;

public sealed class PlanCommandTests : IDisposable
{
    private readonly MachineTree _tree = MachineTree.TwoNodes();

    public void Dispose() => _tree.Dispose();

    [Fact]
    public async Task Json_Defaults_PlanEveryNode()
    {
        var plan = (await Run("--format", "json")).Json;
        Assert.True(plan.GetProperty("enabled").GetBoolean());
        Assert.Equal("Advisory", plan.GetProperty("bindMode").GetString());
        Assert.Equal("0-7", plan.GetProperty("cpus").GetString());
        var node = plan.GetProperty("nodes")[1];
        Assert.Equal("4-7", node.GetProperty("cpus").GetString());
        Assert.Equal("Local", node.GetProperty("memoryPolicy").GetString());
        Assert.Equal(4, node.GetProperty("threadCpus").GetArrayLength());
        Assert.Empty(plan.GetProperty("notes").EnumerateArray());
    }

    [Fact]
    public async Task Run_FilesAndKeys_CountInTheirOrder()
    {
        Write("first.json", """{ "Numa": { "Scheduler": { "ThreadsPerNode": 2 }, "Transport": { "LoopsPerNode": 3 } } }""");
        Write("second.json", """{ "Numa": { "Scheduler": { "ThreadsPerNode": 1 }, "Transport": { "LoopsPerNode": 2 } } }""");

        var run = await Run(
            _tree.PathOf("first.json"), "--settings", _tree.PathOf("second.json"), "--Numa:Scheduler:ThreadsPerNode=3",
            "--format", "json");

        var node = run.Json.GetProperty("nodes")[0];
        Assert.Equal(3, node.GetProperty("threads").GetInt32());
        Assert.Equal(2, node.GetProperty("loops").GetInt32());
    }

    [Fact]
    public async Task Run_SettingsThatAreWrong_AreALineEachOnStderr()
    {
        var run = await Run("--Numa:Transport:Backlog=many", "--Numa:Binding:Nodes=7");
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Empty(run.Output);
        Assert.Equal(2, run.ErrorLines.Length);
        Assert.StartsWith("Numa:Transport:Backlog = 'many' (command line): must be", run.ErrorLines[0], StringComparison.Ordinal);
        Assert.StartsWith("Numa:Binding:Nodes = '7' (command line): ", run.ErrorLines[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_UnknownKey_IsANote()
    {
        var run = await Run("--Numa:Transport:Backlogg=5");
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.Contains("Numa:Transport:Backlogg. Did you mean Numa:Transport:Backlog?", run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--nonsense")]
    [InlineData("--Numa:Enabled")]
    [InlineData("--Logging:Level=3")]
    public async Task Run_WordThatIsNoKey_SaysHowKeysAreWritten(string word)
    {
        var run = await Run(word);
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Contains("--Numa:Key=value", run.ErrorLine, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_FileThatIsMissing_IsNamed()
    {
        var run = await Run(_tree.PathOf("none.json"));
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Equal($"'{_tree.PathOf("none.json")}' does not exist.", run.ErrorLine);
    }

    [Fact]
    public async Task Run_Plugins_AreBelowTheFolderOfTheFirstFile()
    {
        Write("app/appsettings.json", """{ "Numa": { "Plugins": [ { "Assembly": "plugins/none.dll" } ] } }""");
        var run = await Run(_tree.PathOf("app/appsettings.json"));
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Contains($"'{_tree.PathOf("app/plugins")}'", run.ErrorLine, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_RootThatIsNoMachine_IsNamedByItsFile()
    {
        Write("sys/devices/system/cpu/online", "none");
        var run = await Run();
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.StartsWith(_tree.PathOf("sys/devices/system/cpu/online"), run.ErrorLine, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_FileWithoutAName_IsRefused()
    {
        var run = await Run("--settings", "");
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.StartsWith("''", run.ErrorLine, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_FileThatIsNotJson_IsNamedWithItsLine()
    {
        Write("bad.json", "{\n  \"Numa\": {");
        var run = await Run(_tree.PathOf("bad.json"));
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.StartsWith(_tree.PathOf("bad.json"), run.ErrorLine, StringComparison.Ordinal);
        Assert.Contains("LineNumber", run.ErrorLine, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_TwoNodes_ShowsARowForEach()
    {
        var run = await Run("--Numa:Scheduler:ThreadsPerNode=2");
        Assert.Equal(
            """
            ╭──────┬──────┬───────────┬───────────┬──────────┬──────────╮
            │ Node │ CPUs │ Served by │ Memory of │ Threads  │ Loops    │
            ├──────┼──────┼───────────┼───────────┼──────────┼──────────┤
            │ 0    │ 0-3  │ itself    │ node 0    │ 2 on 0-3 │ 4 on 0-3 │
            │ 1    │ 4-7  │ itself    │ node 1    │ 2 on 4-7 │ 4 on 4-7 │
            ╰──────┴──────┴───────────┴───────────┴──────────┴──────────╯
            Threads are pinned; memory is bound: Advisory. Transport: epoll, Adaptive.

            """,
            run.Output);
    }

    [Fact]
    public async Task Run_Markdown_IsATableAndParagraphs()
    {
        var run = await Run("--format", "markdown", "--Numa:Scheduler:ThreadsPerNode=2", "--Numa:Nonsense`@x=1");
        Assert.StartsWith(
            """
            | Node | CPUs | Served by | Memory of | Threads | Loops |
            | --- | --- | --- | --- | --- | --- |
            | `0` | `0-3` | `itself` | `node 0` | `2 on 0-3` | `4 on 0-3` |
            | `1` | `4-7` | `itself` | `node 1` | `2 on 4-7` | `4 on 4-7` |

            `Threads are pinned; memory is bound: Advisory. Transport: epoll, Adaptive.`

            """,
            run.Output,
            StringComparison.Ordinal);
        Assert.Contains("\n`` Unknown setting Numa:Nonsense`@x. ", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public void Describe_ThreadsWithTheSameCpus_AreALineUnlessThatIsManyLines()
    {
        Assert.Equal("none", PlanView.Describe([]));
        Assert.Equal(
            "2 on 0-7\n1 on 8-15", PlanView.Describe([CpuSet.Range(0, 8), CpuSet.Range(8, 8), CpuSet.Range(0, 8)]));
        Assert.Equal(
            "1 on each of 13 CPUs", PlanView.Describe([.. Enumerable.Range(0, 13).Select(static cpu => CpuSet.FromIds(cpu))]));
        Assert.Equal(
            "2 on each of 14 sets of 2 CPUs\n1 on 30",
            PlanView.Describe([.. Enumerable.Range(0, 28).Select(static i => CpuSet.Range(i % 14 * 2, 2)), CpuSet.FromIds(30)]));
    }

    private Task<ToolRun> Run(params string[] args) => ToolRun.Of(["plan", "--root", _tree.PathOf(""), .. args]);

    private void Write(string file, string text) => _tree.Write(file, text);
}
