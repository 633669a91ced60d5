using System.Diagnostics;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Tests.Commands;

public sealed class CompletionCommandTests
{
    [Theory]
    [InlineData("numasharp topo", "topology")]
    [InlineData("numasharp topology --ro", "--root")]
    [InlineData("numasharp plan --format m", "markdown")]
    [InlineData("numasharp doctor --fail-on=w", "warning")]
    [InlineData("numasharp completion f", "fish")]
    public async Task Suggest_BeginningOfAWord_IsTheWord(string line, string word)
    {
        var run = await ToolRun.Of($"[suggest:{line.Length}]", line);
        Assert.Equal((ExitCodes.Success, $"{word}\n"), (run.ExitCode, run.Output));
    }

    [Theory]
    [InlineData("[suggest:x]")]
    [InlineData("[suggest:]")]
    [InlineData("[suggest:99999999999]")]
    [InlineData("[suggest:1")]
    public async Task Suggest_PositionThatIsNoNumber_IsRefused(string directive)
    {
        var run = await ToolRun.Of(directive, "numasharp to");
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.StartsWith($"'{directive}' must be [suggest:N]", run.ErrorLine, StringComparison.Ordinal);
    }

    // The cursor may be behind what the shell passes on.
    [Fact]
    public async Task Suggest_PositionBehindTheLine_Completes() =>
        Assert.Contains("\ntopology\n", (await ToolRun.Of("[suggest:999]", "numasharp ")).Output, StringComparison.Ordinal);

    [Theory]
    [InlineData("bash", "complete -o bashdefault -o default -F _numasharp numasharp")]
    [InlineData("ZSH", "compdef _numasharp numasharp")]
    [InlineData("fish", "complete -c numasharp -a '(__numasharp_words)'")]
    public async Task Completion_Shell_IsItsScript(string shell, string line)
    {
        var run = await ToolRun.Of("completion", shell);
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.Contains(run.Output.Split('\n'), found => found.StartsWith(line, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Completion_AnotherShell_IsRefused() =>
        Assert.Equal(
            "shell = 'sh': allowed are bash, zsh and fish.", (await ToolRun.Of("completion", "sh")).ErrorLine);

    // A stand-in for the command answers words, of which one does not begin as the word does, if it is asked for the right ones.
    [Fact]
    public async Task Completion_OfBash_AsksForTheWordsAtTheCursor()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "bash is run.");
        var script = (await ToolRun.Of("completion", "bash")).Output + """
            numasharp() { [ "$*" = "[suggest:12] numasharp to x" ] && printf '%s\n' topology doctor tools; }
            COMP_LINE="numasharp to x" COMP_POINT=12 COMP_WORDS=(numasharp to x) COMP_CWORD=1
            _numasharp
            printf '<%s>' "${COMPREPLY[@]}"
            complete -p numasharp
            """;
        var start = new ProcessStartInfo("bash", ["--norc", "-c", script]) { RedirectStandardOutput = true };
        using var bash = Process.Start(start)!;
        var output = await bash.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await bash.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(
            "<topology><tools>complete -o bashdefault -o default -F _numasharp numasharp\n", output);
    }
}
