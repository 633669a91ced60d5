using System.CommandLine;
using System.CommandLine.Invocation;
using NumaSharp.Core;
using NumaSharp.Tool.Bench;
using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Completion;
using NumaSharp.Tool.Doctor;
using NumaSharp.Tool.Machine;
using NumaSharp.Tool.Matrix;
using NumaSharp.Tool.Plan;
using NumaSharp.Tool.Run;
using NumaSharp.Tool.Snapshot;
using NumaSharp.Tool.Topology;
using NumaSharp.Tool.Tune;

namespace NumaSharp.Tool;

/// <summary>The command line: one folder per command, listed here.</summary>
internal static class NumaCommand
{
    // A measurement in progress ends within it; all else is quick.
    private static readonly TimeSpan s_terminationTimeout = TimeSpan.FromSeconds(15);

    // "@word" is a plain word: a settings file may have such a name.
    private static readonly ParserConfiguration s_parsing = new() { ResponseFileTokenReplacer = null };

    public static async Task<int> RunAsync(string[] args, ToolConsole console, CancellationToken cancellationToken = default)
    {
        try
        {
            var parsed = Create(console).Parse(CompletionCommand.ArgumentsOf(args), s_parsing);
            if (parsed.Action is ParseErrorAction)
            {
                var suggestions = parsed.UnmatchedTokens.Select(word => Suggestion.For(word, parsed.CommandResult.Command));
                throw new ToolException(
                    string.Join(" ", parsed.Errors.Select(static error => error.Message)) + string.Concat(suggestions));
            }

            var configuration = new InvocationConfiguration
            {
                Output = console.Output,
                Error = console.Error,
                EnableDefaultExceptionHandler = false,

                // run forwards signals and ends after its children.
                ProcessTerminationTimeout = parsed.CommandResult.Command.Name == RunCommand.Name ? null : s_terminationTimeout,
            };
            return await parsed.InvokeAsync(configuration, cancellationToken);
        }
        catch (OperationCanceledException)
        {
            Refuse(console, ["cancelled"]);
            return ExitCodes.Cancelled;
        }
        catch (ToolException exception)
        {
            return Refuse(console, exception.Lines);
        }
        catch (Exception exception) when (exception is NumaException or IOException or UnauthorizedAccessException)
        {
            return Refuse(console, [exception.Message]);
        }
    }

    private static RootCommand Create(ToolConsole console)
    {
        var root = new RootCommand("NUMA topology, plans, measurements and process placement.")
        {
            TopologyCommand.Create(console),
            PlanCommand.Create(console),
            DoctorCommand.Create(console),
            SnapshotCommand.Create(console),
            MatrixCommand.Create(console, static () => ThisMachine.Platform),
            BenchCommand.Create(console, static () => ThisMachine.Platform),
            RunCommand.Create(console),
            TuneCommand.Create(console),
            CompletionCommand.Create(console),
        };
        root.SetAction((_, cancellation) => ShowHelpAsync(root, console, cancellation));
        return root;
    }

    // Help that was not requested must not get into a pipe, and scripts must see that nothing was done.
    private static async Task<int> ShowHelpAsync(RootCommand root, ToolConsole console, CancellationToken cancellationToken)
    {
        await root.Parse("--help").InvokeAsync(new InvocationConfiguration { Output = console.Error }, cancellationToken);
        return ExitCodes.Unusable;
    }

    private static int Refuse(ToolConsole console, IReadOnlyList<string> lines)
    {
        try
        {
            foreach (var line in lines)
            {
                console.Error.WriteLine(ToolText.OneLine(line));
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Without a stderr, only the exit code can report the failure.
        }

        return ExitCodes.Unusable;
    }
}
