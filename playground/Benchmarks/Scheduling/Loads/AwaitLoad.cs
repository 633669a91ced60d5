using NumaSharp.Playground.Benchmarks.Slices;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>64 asynchronous methods that yield again and again; an operation is one await of theirs.</summary>
/// <param name="depth">How many methods await each other until one yields.</param>
/// <param name="start">Starts such a method where it is to stay.</param>
internal sealed class AwaitLoad(int depth, Action<Func<Task>> start) : ILoad
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

    public void Dispose()
    {
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

    private static async Task NestAsync(int depth)
    {
        if (depth == 1)
        {
            await Task.Yield();
        }
        else
        {
            await NestAsync(depth - 1);
        }
    }
}
