using System.CommandLine;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary><c>compare</c>: an earlier build and this one, in turns.</summary>
internal static class CompareCommand
{
    private const int LeastRounds = 4;
    private const int MostRounds = 98;

    private static readonly string[] s_defaultKinds =
    [
        BenchmarkKinds.Memory, BenchmarkKinds.Pool, BenchmarkKinds.Scheduler, BenchmarkKinds.Http, BenchmarkKinds.Udp,
    ];

    public static Command Create(TextWriter output, TextWriter error)
    {
        var earlier = new Argument<FileInfo>("EARLIER")
        {
            Description = "NumaSharp.Playground.Benchmarks.dll of another Release build of this repository.",
        };
        var kinds = new Argument<string[]>("KIND")
        {
            Description = $"What to compare. Default: {string.Join(", ", s_defaultKinds)}.",
            Arity = ArgumentArity.ZeroOrMore,
        };
        var rounds = new Option<int>("--rounds")
        {
            Description = $"How often each kind is measured with each build: an even number from {LeastRounds} to {MostRounds}.",
            HelpName = "N",
            DefaultValueFactory = static _ => LeastRounds,
        };
        var quick = new Option<bool>("--quick") { Description = "Shorter runs; http and udp: fewer rows, too." };
        var results = new Option<string>("--results")
        {
            Description = "The folder for the JSON of each run.",
            HelpName = "FOLDER",
            DefaultValueFactory = static _ => Path.Combine("artifacts", "compare"),
        };
        earlier.AcceptExistingOnly();
        kinds.Validators.Add(static result =>
        {
            foreach (var refusal in result.Tokens.Select(static token => BenchmarkKinds.Refusal(token.Value)).OfType<string>())
            {
                result.AddError(refusal);
            }
        });
        rounds.Validators.Add(static result =>
        {
            var rounds = result.GetValueOrDefault<int>();
            if (rounds is < LeastRounds or > MostRounds || int.IsOddInteger(rounds))
            {
                result.AddError($"--rounds must be an even number from {LeastRounds} to {MostRounds}");
            }
        });
        var command = new Command(
            "compare",
            "Measures an earlier build and this one in turns, and compares their ratios to the peers. http: the servers of both "
                + "in the same rounds, without the rows of memory and stalls.")
        {
            earlier, kinds, rounds, quick, results,
        };
        command.SetAction((parsed, cancellation) =>
        {
            var other = parsed.GetRequiredValue(earlier).FullName;
            string[] options = parsed.GetValue(quick) ? ["--quick"] : [];
            var comparison = new BuildComparison(
                parsed.GetValue(kinds) is { Length: > 0 } named ? [.. named.Distinct()] : s_defaultKinds,
                parsed.GetRequiredValue(rounds),
                (build, kind, json, token) => KindProcess.RunAsync(
                    KindProcess.StartInfo(
                        build == MeasuredBuild.Earlier ? other : KindProcess.This,
                        kind,
                        json,
                        build == MeasuredBuild.Both ? [.. options, "--earlier", other] : options),
                    output,
                    error,
                    token),
                QuietMachine.This.WaitAsync,
                output);
            return GuardedRun.RunAsync(
                token =>
                {
                    BenchmarkReport.RefuseDebugBuild();
                    return comparison.RunAsync(parsed.GetRequiredValue(results), token);
                },
                error,
                cancellation);
        });
        return command;
    }
}
