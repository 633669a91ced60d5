using System.CommandLine;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary><c>all</c>: every kind, and pages and pictures of the results.</summary>
internal static class AllCommand
{
    private const string Root = "NumaSharp.Hosting.sln";

    public static Command Create(TextWriter output, TextWriter error)
    {
        var quick = new Option<bool>("--quick") { Description = "Every row, in shorter runs." };
        var results = new Option<string>("--results")
        {
            Description = "The folder to write to. Default: docs/results of the repository around the current folder, "
                + "or below the current folder outside a repository.",
            HelpName = "FOLDER",
            DefaultValueFactory = static _ => DefaultFolder(Environment.CurrentDirectory),
        };
        var command = new Command("all", "Measures every kind in turn and writes JSON, a page and pictures.") { quick, results };
        command.SetAction((parsed, cancellation) =>
        {
            var isQuick = parsed.GetValue(quick);
            var folder = parsed.GetRequiredValue(results);
            var run = new WholeRun(
                BenchmarkKinds.All,
                (kind, json, token) => KindProcess.RunAsync(KindProcess.StartInfo(kind, json, isQuick), output, error, token),
                QuietMachine.This.WaitAsync,
                output);
            return GuardedRun.RunAsync(
                token =>
                {
                    BenchmarkReport.RefuseDebugBuild();
                    return run.RunAsync(folder, token);
                },
                error,
                cancellation);
        });
        return command;
    }

    /// <summary>docs/results of the repository that a folder is in; outside a repository, below that folder.</summary>
    public static string DefaultFolder(string current)
    {
        var root = current;
        for (var folder = new DirectoryInfo(current); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, Root)))
            {
                root = folder.FullName;
                break;
            }
        }

        return Path.Combine(root, "docs", "results");
    }
}
