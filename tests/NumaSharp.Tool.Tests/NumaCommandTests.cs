using NumaSharp.Tool.Commands;

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
    [InlineData("matrix", "--granularity", "2", "node, cache and cpu")]
    [InlineData("run --per-node true", "--memory", "1", "preferred and strict")]
    [InlineData("doctor", "--fail-on", "2", "info, warning, error and never")]
    [InlineData("plan", "--format", "1", "text, json and markdown")]
    public async Task RunAsync_NumberInsteadOfAChoice_IsRefusedWithTheChoices(
        string command, string option, string value, string allowed)
    {
        var run = await ToolRun.Of([.. command.Split(' '), $"{option}={value}"]);
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Empty(run.Output);
        Assert.Contains($"{option} = '{value}': allowed are {allowed}.", run.ErrorLine, StringComparison.Ordinal);
    }

    [Fact]
    public async Task RunAsync_ProcessThatIsNoNumber_IsRefused() =>
        Assert.Equal(
            "--pid 'x' must be a whole number from 1 to 2147483647.",
            (await ToolRun.Of("snapshot", "--pid", "x")).ErrorLine);

    [Fact]
    public async Task RunAsync_ErrorsCannotBeWritten_TheExitCodeIsThere()
    {
        using var full = new StreamWriter(new FullStream()) { AutoFlush = true };
        Assert.Equal(
            ExitCodes.Unusable,
            await NumaCommand.RunAsync(["nonsense"], new ToolConsole(full, full), TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task RunAsync_WordWithAt_IsNoResponseFile() =>
        Assert.Equal("'@none.json' does not exist.", (await ToolRun.Of("plan", "@none.json")).ErrorLine);

    [Theory]
    [InlineData("something", "Unrecognized command or argument 'something'.")]
    [InlineData("topologi", "Unrecognized command or argument 'topologi'. Did you mean 'topology'?")]
    [InlineData("topology --fromat=json", "Unrecognized command or argument '--fromat=json'. Did you mean '--format'?")]
    [InlineData(
        "plan --rot",
        "'--rot' is not an option of this command; settings are given as --Numa:Key=value. Did you mean '--root'?")]
    public async Task RunAsync_UnknownWord_IsTheOnlyMessageWithWhatIsSimilar(string words, string message) =>
        Assert.Equal(message, (await ToolRun.Of(words.Split(' '))).ErrorLine);

    [Theory]
    [InlineData("topology")]
    [InlineData("plan")]
    [InlineData("doctor")]
    [InlineData("snapshot")]
    [InlineData("matrix")]
    [InlineData("bench")]
    [InlineData("run")]
    [InlineData("tune")]
    [InlineData("completion")]
    public async Task RunAsync_Help_NamesTheCommand(string command)
    {
        var run = await ToolRun.Of("--help");
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.Empty(run.Error);
        Assert.Contains($"  {command} ", run.Output, StringComparison.Ordinal);
    }

    private sealed class FullStream : MemoryStream
    {
        public override void Write(byte[] buffer, int offset, int count) => throw new IOException("No space left on device");

        public override void Write(ReadOnlySpan<byte> buffer) => throw new IOException("No space left on device");
    }
}
