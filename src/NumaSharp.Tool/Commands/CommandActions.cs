using System.CommandLine;

namespace NumaSharp.Tool.Commands;

/// <summary>Actions of commands.</summary>
internal static class CommandActions
{
    /// <summary>
    /// Sets the action of a command that may run for seconds. The command line handles cancellation of an action only after it
    /// has returned its task: so it is returned before anything is done.
    /// </summary>
    public static void SetLongAction(this Command command, Func<ParseResult, CancellationToken, Task<int>> action) =>
        command.SetAction(async (parsed, cancellation) =>
        {
            await Task.Yield();
            return await action(parsed, cancellation);
        });
}
