using System.CommandLine;

namespace NumaSharp.Tool;

/// <summary>The command line: one file per command, listed here.</summary>
internal static class NumaCommand
{
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
        });
    }

    private static RootCommand Create() => new("NUMA topology, plans, measurements and process placement.");
}
