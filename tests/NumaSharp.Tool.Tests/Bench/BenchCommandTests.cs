using System.Text.Json;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Tests.Run;

namespace NumaSharp.Tool.Tests.Bench;

public sealed class BenchCommandTests
{
    public BenchCommandTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "numasharp bench needs Linux.");

    [Fact]
    public async Task Bench_FilterThatNothingFits_SaysWhichRowsThereAreAndMeasuresNothing()
    {
        var run = await ToolRun.Of("bench", "--filter", "udp");

        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Empty(run.Output);
        Assert.StartsWith(
            "--filter 'udp': no row has this in its name; rows are ping cpu, get-4k cpu, ",
            run.ErrorLine,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Bench_UnknownFormat_IsRefused() =>
        Assert.Contains(
            "--format = 'xml': allowed are text and json.",
            (await ToolRun.Of("bench", "--format", "xml")).ErrorLine,
            StringComparison.Ordinal);

    [Fact]
    public async Task Bench_QuickWithAFilter_MeasuresThatRow()
    {
        var run = await ToolRun.Of("bench", "--quick", "--filter", "POOL SINGLE VS MEMORYPOOL", "--format", "json");

        Assert.Equal((ExitCodes.Success, ""), (run.ExitCode, run.Error));
        var row = Assert.Single(run.Json.GetProperty("rows").EnumerateArray());
        Assert.Equal("pool single vs MemoryPool", row.GetProperty("name").GetString());
        Assert.Equal("MemoryPool.Shared", row.GetProperty("peer").GetString());
        Assert.Equal("ns/op", row.GetProperty("unit").GetString());
        Assert.Equal(JsonValueKind.Null, row.GetProperty("reason").ValueKind);
        foreach (var figure in (string[])["ours", "theirs", "ratio"])
        {
            Assert.True(row.GetProperty(figure).GetDouble() > 0, $"{figure} of {run.Output}");
        }
    }

    [Fact]
    public async Task Bench_Interrupted_SaysSoAndEndsAsShellsHaveIt()
    {
        using var tool = ToolProcess.Start("bench");
        await tool.WaitForThreadAsync("numasharp-bench");
        await tool.SignalAsync("INT");

        Assert.Equal(ExitCodes.Cancelled, await tool.WaitAsync());
        Assert.Contains("cancelled", await tool.ReadErrorsAsync(), StringComparison.Ordinal);
    }
}
