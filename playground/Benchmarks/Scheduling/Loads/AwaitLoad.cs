using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Scheduling;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>64 asynchronous methods that yield again and again; an operation is one await of theirs.</summary>
/// <param name="depth">How many methods await each other until one yields.</param>
/// <param name="start">Starts such a method where it is to stay.</param>
/// <param name="yielder">Whose own way to yield it is; by default that of .NET.</param>
internal sealed class AwaitLoad(int depth, Action<Func<Task>> start, NumaTaskScheduler? yielder = null) : ILoad
{
    private const int Methods = 64;

    private readonly Gate _gate = new();
    private int _awaits;

    public Slice Run(int operations)
    {
        _awaits = Math.Max(1, operations / Methods);
        _gate.Close(Methods);
        var clock = SliceClock.Start();
        for (var started = 0; started < Methods; started++)
        {
            start(LiveAsync);
        }

        _gate.Wait();
        return clock.Stop(_awaits * Methods);
    }

    private async Task LiveAsync()
    {
        for (var left = _awaits; left > 0; left--)
        {
            await NestAsync(depth);
        }

        if (_gate.Arrive())
        {
            _gate.Open();
        }
    }

    private async Task NestAsync(int left)
    {
        if (left > 1)
        {
            await NestAsync(left - 1);
        }
        else if (yielder is null)
        {
            await Task.Yield();
        }
        else
        {
            await yielder.Yield();
        }
    }
}
