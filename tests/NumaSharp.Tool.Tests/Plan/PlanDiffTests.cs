using System.Text;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Tests.Plan;

public sealed class PlanDiffTests : IDisposable
{
    private readonly MachineTree _tree = MachineTree.TwoNodes();

    public void Dispose() => _tree.Dispose();

    [Fact]
    public async Task Diff_SamePlan_SaysSo()
    {
        var plan = await PlanAsync("one.json");
        var run = await ToolRun.Of("plan", "--diff", plan, plan);
        Assert.Equal((ExitCodes.Success, "The plans are the same.\n"), (run.ExitCode, run.Output));

        run = await ToolRun.Of("plan", "--diff", plan, plan, "--format", "markdown");
        Assert.Equal((ExitCodes.Success, "The plans are the same.\n"), (run.ExitCode, run.Output));

        run = await ToolRun.Of("plan", "--diff", plan, plan, "--format", "json");
        Assert.Equal((ExitCodes.Success, 0), (run.ExitCode, run.Json.GetProperty("changes").GetArrayLength()));
    }

    // Both nodes have half of the workers: one row for both. Their CPUs are named, so those are a row each.
    [Fact]
    public async Task Diff_FewerThreads_ShowsTheChangesOfAllNodesThatAreAlikeOnce()
    {
        var before = await PlanAsync("before.json");
        var after = await PlanAsync("after.json", "--Numa:Scheduler:ThreadsPerNode=2", "--Numa:Nonsense=1");

        var run = await ToolRun.Of("plan", "--diff", before, after, "--format", "markdown");
        Assert.Equal(ExitCodes.Findings, run.ExitCode);
        string[] lines = run.Output.TrimEnd('\n').Split('\n');
        Assert.Equal(
            [
                "| What | Before | After |",
                "| --- | --- | --- |",
                "| `nodes 0-1: threads` | `4` | `2` |",
                "| `node 0: threadCpus` | `4 on 0-3` | `2 on 0-3` |",
                "| `node 1: threadCpus` | `4 on 4-7` | `2 on 4-7` |",
            ],
            lines[..^1]);
        Assert.StartsWith("| `note` | `none` | `", lines[^1], StringComparison.Ordinal);
        Assert.Contains("Numa:Nonsense", lines[^1], StringComparison.Ordinal);

        run = await ToolRun.Of("plan", "--diff", before, after);
        Assert.Equal(ExitCodes.Findings, run.ExitCode);
        Assert.Contains("│ nodes 0-1: threads ", run.Output, StringComparison.Ordinal);

        var change = (await ToolRun.Of("plan", "--diff", before, after, "--format", "json")).Json.GetProperty("changes")[0];
        Assert.Equal(
            ["nodes=0-1", "name=threads", "before=4", "after=2"],
            change.EnumerateObject().Select(static property => $"{property.Name}={property.Value}"));
    }

    // Positions of nodes change with it, and are not what is different.
    [Fact]
    public async Task Diff_ANodeMore_IsARow()
    {
        var both = await PlanAsync("both.json");
        var one = await PlanAsync("one.json", "--Numa:Binding:Nodes=1");

        var run = await ToolRun.Of("plan", "--diff", one, both, "--format", "markdown");
        Assert.Equal(
            [
                "| `cpus` | `4-7` | `0-7` |",
                "| `node 0: plan` | `none` | `CPUs 0-3, 4 threads, 4 loops` |",
                "| `node 1: neighbors` | `none` | `node 0` |",
            ],
            run.Output.TrimEnd('\n').Split('\n')[2..]);
    }

    [Theory]
    [InlineData("{", "depth")]
    [InlineData("[]", "Object")]
    [InlineData("{}", "")]
    [InlineData("""{ "nodes": {}, "notes": [] }""", "Array")]
    [InlineData("""{ "nodes": [ { } ], "notes": [] }""", "")]
    [InlineData("""{ "nodes": [ { "nodeId": -1 } ], "notes": [] }""", "'nodeId'")]
    [InlineData("""{ "nodes": [ { "nodeId": 1.5 } ], "notes": [] }""", "")]
    [InlineData("""{ "nodes": [ { "nodeId": 1, "servingIndex": 1 } ], "notes": [] }""", "position 1")]
    [InlineData("""{ "nodes": [ { "nodeId": 1 }, { "nodeId": 1 } ], "notes": [] }""", "same key")]
    [InlineData("""{ "nodes": [], "notes": [], "cpus": "1", "cpus": "2" }""", "cpus")]
    [InlineData("""{ "nodes": [], "notes": [], "a\u0001": "1", "a\u0002": "2" }""", "same key")]
    [InlineData("""{ "nodes": [ { "nodeId": 0, "servingIndex": 0, "servedBy": "1" } ], "notes": [] }""", "same key")]
    public async Task Diff_FileThatIsNoPlan_IsNamed(string text, string because)
    {
        _tree.Write("bad.json", text);
        var run = await ToolRun.Of("plan", "--diff", await PlanAsync("good.json"), _tree.PathOf("bad.json"));
        Assert.Equal((ExitCodes.Unusable, ""), (run.ExitCode, run.Output));
        Assert.StartsWith(
            $"'{_tree.PathOf("bad.json")}' is not what 'numasharp plan --format json' writes: ",
            run.ErrorLine,
            StringComparison.Ordinal);
        Assert.Contains(because, run.ErrorLine, StringComparison.Ordinal);
    }

    // As editors and shells of Windows write it.
    [Fact]
    public async Task Diff_FileWithAByteOrderMark_IsRead()
    {
        var plan = await PlanAsync("one.json");
        var marked = _tree.PathOf("two.json");
        await File.WriteAllTextAsync(
            marked,
            await File.ReadAllTextAsync(plan, TestContext.Current.CancellationToken),
            Encoding.UTF8,
            TestContext.Current.CancellationToken);
        Assert.Equal(0xEF, (await File.ReadAllBytesAsync(marked, TestContext.Current.CancellationToken))[0]);
        Assert.Equal(ExitCodes.Success, (await ToolRun.Of("plan", "--diff", plan, marked)).ExitCode);
    }

    // A file from elsewhere must not move the cursor.
    [Fact]
    public async Task Diff_TextWithControlCharacters_IsShownWithoutThem()
    {
        _tree.Write("one.json", """{ "a\u001b[2J": "b\u001b[3Jc", "nodes": [], "notes": [ "d\u0007e\u202ef\u2028g" ] }""");
        _tree.Write("two.json", """{ "nodes": [], "notes": [] }""");
        foreach (var format in (string[])["text", "json", "markdown"])
        {
            var run = await ToolRun.Of(
                "plan", "--diff", _tree.PathOf("one.json"), _tree.PathOf("two.json"), "--format", format);
            Assert.Equal(ExitCodes.Findings, run.ExitCode);
            Assert.DoesNotContain(run.Output, static c => (char.IsControl(c) && c != '\n') || c is '\u202e' or '\u2028');
            Assert.DoesNotContain("\\u", run.Output, StringComparison.OrdinalIgnoreCase);
        }
    }

    [Fact]
    public async Task Diff_FileThatIsMissing_IsNamed()
    {
        var run = await ToolRun.Of("plan", "--diff", await PlanAsync("good.json"), _tree.PathOf("none.json"));
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Contains(_tree.PathOf("none.json"), run.ErrorLine, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--root", "/")]
    [InlineData("--settings", "appsettings.json")]
    [InlineData("--", "--Numa:Enabled=false")]
    [InlineData("--diff", "three.json", "four.json")]
    public async Task Diff_WithAMachineOrSettings_IsRefused(params string[] more)
    {
        var run = await ToolRun.Of(["plan", "--diff", "one.json", "two.json", .. more]);
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Equal("--diff compares two files: it takes no others, no settings and no --root.", run.ErrorLine);
    }

    [Theory]
    [InlineData]
    [InlineData("one.json")]
    public async Task Diff_FewerThanTwoFiles_IsRefused(params string[] files)
    {
        var run = await ToolRun.Of(["plan", "--diff", .. files]);
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Contains("--diff", run.ErrorLine, StringComparison.Ordinal);
    }

    private async Task<string> PlanAsync(string file, params string[] settings)
    {
        var run = await ToolRun.Of(["plan", "--root", _tree.PathOf(""), "--format", "json", .. settings]);
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        _tree.Write(file, run.Output);
        return _tree.PathOf(file);
    }
}
