using System.CommandLine;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary><c>render</c>: page and pictures once more, from the JSON of a folder.</summary>
internal static class RenderCommand
{
    public static Command Create(TextWriter output, TextWriter error)
    {
        var folder = new Argument<string>("FOLDER") { Description = "It has the JSON, as all writes it." };
        var command = new Command("render", "Writes page and pictures from the JSON of a folder, without measuring.") { folder };
        command.SetAction((parsed, cancellation) =>
        {
            var path = parsed.GetRequiredValue(folder);
            return GuardedRun.RunAsync(_ => RenderAsync(path, output), error, cancellation);
        });
        return command;
    }

    private static async Task<int> RenderAsync(string path, TextWriter output)
    {
        var results = ResultSet.Read(path);
        using var folder = ResultFolder.Begin(path);
        foreach (var file in Directory.EnumerateFiles(path, "*.json"))
        {
            File.Copy(file, Path.Combine(folder.Draft, Path.GetFileName(file)));
        }

        ResultPages.Write(folder.Draft, results);
        folder.Replace();
        await output.WriteLineAsync(Path.Combine(path, ResultPages.Page));
        return ExitCodes.Completed;
    }
}
