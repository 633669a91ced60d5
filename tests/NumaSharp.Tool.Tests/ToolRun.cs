using System.Text.Json;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Tests;

/// <summary>What a command line answered.</summary>
internal sealed record ToolRun(int ExitCode, string Output, string Error)
{
    public const int Width = 100;

    public JsonElement Json => JsonDocument.Parse(Output).RootElement;

    /// <summary>The one line on stderr.</summary>
    public string ErrorLine => Assert.Single(ErrorLines);

    public string[] ErrorLines => Error.TrimEnd('\n').Split('\n');

    public static async Task<ToolRun> Of(params string[] args)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        var exitCode = await NumaCommand.RunAsync(
            args, new ToolConsole(output, error, Width), TestContext.Current.CancellationToken);
        return new ToolRun(exitCode, output.ToString(), error.ToString());
    }
}
