using System.CommandLine;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;
using NumaSharp.Playground.Benchmarks.Scheduling.Loads;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Idle;

/// <summary>
/// The hidden command of a process that has worked for a moment, with or without a scheduler, and is idle since.
/// </summary>
internal static class IdleCommand
{
    public const string Ready = "idle from here on";

    private const string Name = "scheduler-idle";
    private const string Scheduler = "scheduler";
    private const string Nothing = "nothing";
    private const int Items = 100_000;

    public static IReadOnlyList<string> Arguments(bool withScheduler) => [Name, withScheduler ? Scheduler : Nothing];

    public static Command Create(TextWriter output)
    {
        var what = new Argument<string>("what");
        what.AcceptOnlyFromAmong(Scheduler, Nothing);
        var command = new Command(Name, "A process that idles.") { what };
        command.Hidden = true;
        command.SetAction(async (parsed, cancellation) =>
        {
            using var engine = parsed.GetValue(what) == Scheduler ? new NumaEngine() : null;
            engine?.Open(new OutsideShape()).Run(Items);
            await output.WriteLineAsync(Ready);
            await output.FlushAsync(cancellation);
            await Task.Delay(Timeout.InfiniteTimeSpan, cancellation);
        });
        return command;
    }
}
