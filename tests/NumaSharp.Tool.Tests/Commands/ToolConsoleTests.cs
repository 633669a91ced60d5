using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Tests.Run;

namespace NumaSharp.Tool.Tests.Commands;

public sealed class ToolConsoleTests
{
    private const string Escape = "\e[";

    // What the runtime sends to a terminal that it asks for its width, and what ends its lines.
    private static readonly string[] s_runtime = ["\e[?1h", "\e=", "\r"];

    [Theory]
    [InlineData("GITHUB_ACTIONS", "true")]
    [InlineData("TERM", "xterm-256color")]
    public async Task Output_InAFile_HasNoEscapesWhateverTheEnvironmentSays(string name, string value)
    {
        using var tool = ToolProcess.StartIn([new(name, value)], "topology");
        Assert.DoesNotContain('\e', await tool.ReadOutputAsync());
        Assert.Equal(ExitCodes.Success, await tool.WaitAsync());
    }

    [Theory]
    [InlineData("C", false)]
    [InlineData("POSIX", false)]
    [InlineData("C.UTF-8", true)]
    public async Task Output_InALocale_HasTheCharactersOfIt(string locale, bool hasLines)
    {
        using var tool = ToolProcess.StartIn([new("LC_ALL", locale)], "plan");
        Assert.Equal(hasLines, !System.Text.Ascii.IsValid(await tool.ReadOutputAsync()));
    }

    [Theory]
    [InlineData("7", "  CPUs: ")]
    [InlineData("200", "│ Node │ ")]
    public async Task Output_InAFile_IsAsWideAsColumnsSays(string columns, string text)
    {
        using var tool = ToolProcess.StartIn([new("COLUMNS", columns), new("LC_ALL", "C.UTF-8")], "plan");
        Assert.Contains(text, await tool.ReadOutputAsync(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("NO_COLOR", "1", false)]
    [InlineData("TERM", "dumb", false)]
    [InlineData("TERM", "xterm-256color", true)]
    public async Task Output_OnATerminal_HasColoursUnlessTheyAreNotWanted(string name, string value, bool hasColours)
    {
        using var tool = ToolProcess.StartOnTerminal(
            [new("TERM", "xterm-256color"), new("NO_COLOR", ""), new(name, value)], columns: 60,
            "matrix", "--size", "1MiB", "--repeat", "1", "--time-limit", "3600");
        var shown = await tool.ReadOutputAsync();
        Assert.Contains("Latency of a dependent read, ns", shown, StringComparison.Ordinal);
        var ours = s_runtime.Aggregate(shown, static (text, part) => text.Replace(part, "", StringComparison.Ordinal));
        Assert.Equal(hasColours, ours.Contains(Escape, StringComparison.Ordinal));
        Assert.Equal(hasColours, shown.Contains("Measuring", StringComparison.Ordinal));
    }
}
