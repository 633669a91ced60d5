using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Tests;

/// <summary>What a command line answered.</summary>
internal sealed record ToolRun(int ExitCode, string Output, string Error)
{
    public const int Width = 100;

    public static Task<ToolRun> Of(params string[] args) => WithWidth(Width, args);

    public static async Task<ToolRun> WithWidth(int width, params string[] args)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        var exitCode = await NumaCommand.RunAsync(
            args, new ToolConsole(output, error, width), TestContext.Current.CancellationToken);
        return new ToolRun(exitCode, output.ToString(), error.ToString());
    }
}
