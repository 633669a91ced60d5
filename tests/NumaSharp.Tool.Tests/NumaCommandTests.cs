namespace NumaSharp.Tool.Tests;

public sealed class NumaCommandTests
{
    [Theory]
    [InlineData("nonsense")]
    [InlineData("--nonsense")]
    public async Task RunAsync_UnknownArgument_IsOneLineOnStderrAndExitCode2(string argument)
    {
        var run = await ToolRun.Of(argument);
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Empty(run.Output);
        Assert.Contains(argument, run.ErrorLine, StringComparison.Ordinal);
    }

    [Fact]
    public async Task RunAsync_Nothing_IsHelpOnStderrAndExitCode2()
    {
        var run = await ToolRun.Of();
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Empty(run.Output);
        Assert.Equal((await ToolRun.Of("--help")).Output, run.Error);
    }

    [Theory]
    [InlineData("topology")]
    [InlineData("plan")]
    [InlineData("doctor")]
    [InlineData("snapshot")]
    public async Task RunAsync_Help_NamesTheCommand(string command)
    {
        var run = await ToolRun.Of("--help");
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.Empty(run.Error);
        Assert.Contains($"  {command} ", run.Output, StringComparison.Ordinal);
    }
}
