using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>One thread that is not a worker starts empty tasks as fast as it can; an operation is a task.</summary>
/// <param name="start">How a task is started.</param>
internal sealed class TaskLoad(Func<Action, Task> start) : ILoad
{
    private const int Window = 4096;
    private const int Batch = 256;

    private readonly TallyBoard _board = new();

    public Slice Run(int operations)
    {
        var before = _board.Total;
        Action add = _board.Add;
        var clock = SliceClock.Start();
        for (var started = 0; started < operations; started++)
        {
            if (started % Batch == 0)
            {
                _board.WaitFor(before + started - Window);
            }

            _ = start(add);
        }

        _board.WaitFor(before + operations);
        return clock.Stop(operations);
    }
}
