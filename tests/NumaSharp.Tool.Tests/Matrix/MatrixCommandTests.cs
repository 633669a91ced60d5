using System.Text.Json;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Tests.Run;

namespace NumaSharp.Tool.Tests.Matrix;

public sealed class MatrixCommandTests
{
    // By default no cell begins after a minute, which a slow machine, or one of many nodes, may need.
    private static readonly string[] s_short = ["--size", "1MiB", "--repeat", "1", "--time-limit", "3600"];

    [Theory]
    [InlineData("--cpus", "x", "--cpus 'x'")]
    [InlineData("--cpus", "60000", "60000 cannot be used")]
    [InlineData("--cpus", "65536", "--cpus '65536' is not a kernel list such as 0-3,8 with ids from 0 to 65535")]
    [InlineData("--granularity", "core", "core")]
    [InlineData("--size", "1KiB", "--size '1KiB'")]
    [InlineData("--size", "much", "--size 'much'")]
    [InlineData("--size", "512MB", "--size '512MB'")]
    [InlineData("--size", " 512MiB", "--size ' 512MiB'")]
    [InlineData("--repeat", "0", "--repeat '0'")]
    [InlineData("--repeat", "few", "few")]
    [InlineData("--time-limit", "-1", "--time-limit '-1'")]
    [InlineData("--format", "xml", "xml")]
    public async Task Matrix_BadArgument_SaysWhichAndMeasuresNothing(string option, string value, string message)
    {
        var (code, output, errors) = await InvokeAsync("matrix", $"{option}={value}");

        Assert.Equal(ExitCodes.Unusable, code);
        Assert.Empty(output);
        Assert.Contains(message, errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Matrix_ThisMachine_HasACellForEveryNodeWithMemory()
    {
        var (code, output, errors) = await InvokeAsync(["matrix", "--format", "json", .. s_short]);

        Assert.Equal((0, ""), (code, errors));
        using var json = JsonDocument.Parse(output);
        var rows = NumaTopology.Instance.Nodes.Count(static node => !node.Cpus.IsEmpty);
        Assert.Equal(rows * NumaTopology.Instance.MemoryNodes.Count, json.RootElement.GetProperty("cells").GetArrayLength());
    }

    [Fact]
    public async Task Matrix_AsText_HasTheThreeMapsAndNoEscapesInAFile()
    {
        var (code, output, _) = await InvokeAsync(["matrix", .. s_short]);

        Assert.Equal(0, code);
        Assert.DoesNotContain('\e', output);
        Assert.Contains("Latency of a dependent read, ns", output, StringComparison.Ordinal);
        Assert.Contains("Read bandwidth of one thread, GB/s", output, StringComparison.Ordinal);
        Assert.Contains("Time to read 1 MiB once, ms", output, StringComparison.Ordinal);
        Assert.Contains("Medians of 1.", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Matrix_Interrupted_SaysSoAndEndsAsShellsHaveIt()
    {
        using var tool = ToolProcess.Start("matrix", "--size", "64MiB", "--repeat", "1000", "--time-limit", "600");
        await tool.WaitForThreadAsync("numasharp-matr");
        await tool.SignalAsync("INT");

        Assert.Equal(ExitCodes.Cancelled, await tool.WaitAsync());
        Assert.Contains("cancelled", await tool.ReadErrorsAsync(), StringComparison.Ordinal);
    }

    private static async Task<(int Code, string Output, string Errors)> InvokeAsync(params string[] arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var errors = new StringWriter { NewLine = "\n" };
        var code = await NumaCommand.RunAsync(arguments, new ToolConsole(output, errors));
        return (code, output.ToString(), errors.ToString());
    }
}
