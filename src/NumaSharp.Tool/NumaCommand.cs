using System.CommandLine;
using NumaSharp.Core;
using NumaSharp.Tool.Matrix;
using NumaSharp.Tool.Run;

namespace NumaSharp.Tool;

/// <summary>The command line: one file per command, listed here.</summary>
internal static class NumaCommand
{
    // What is being measured ends within it; the rest is quick.
    private static readonly TimeSpan s_terminationTimeout = TimeSpan.FromSeconds(15);

    public static async Task<int> RunAsync(string[] args, TextWriter output, TextWriter error)
    {
        var parsed = Create().Parse(args);
        if (parsed.Errors.Count > 0)
        {
            foreach (var problem in parsed.Errors)
            {
                await error.WriteLineAsync(problem.Message);
            }

            return ExitCodes.Unusable;
        }

        return await parsed.InvokeAsync(new InvocationConfiguration
        {
            Output = output,
            Error = error,
            EnableDefaultExceptionHandler = false,

            // run passes signals on and ends after its children.
            ProcessTerminationTimeout = parsed.CommandResult.Command.Name == RunCommand.Name ? null : s_terminationTimeout,
        });
    }

    private static RootCommand Create() => new("NUMA topology, plans, measurements and process placement.")
    {
        MatrixCommand.Create(static () => NumaPlatform.Default),
        RunCommand.Create(),
    };
}
