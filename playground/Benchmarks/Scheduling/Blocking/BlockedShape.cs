using System.Diagnostics;
using System.Globalization;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Blocking;

/// <summary>Blocks all workers, and then queues a short item; the time is the wait of that item.</summary>
internal sealed record BlockedShape(BlockingKind Kind, int Workers) : ILoadShape
{
    public ILoad Create<TQueue>(TQueue queue)
        where TQueue : struct, IWorkQueue => new BlockedLoad<TQueue>(queue, this);

    private sealed class BlockedLoad<TQueue>(TQueue queue, BlockedShape shape) : ILoad
        where TQueue : struct, IWorkQueue
    {
        private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(1);
        private static readonly TimeSpan s_untilBlocked = TimeSpan.FromMilliseconds(5);
        private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(30);

        // A TimeSpan counts tenths of microseconds, and a spare that looks for work needs less.
        private static readonly double s_nanosecondsPerTick = 1e9 / Stopwatch.Frequency;

        private int _blocked;
        private int _isDone;

        public Slice Run(int operations)
        {
            _isDone = 0;
            using var blocker = shape.Kind.Create();
            for (var worker = 0; worker < shape.Workers; worker++)
            {
                queue.Queue(new Item(() => Block(blocker)));
            }

            Await(() => Volatile.Read(ref _blocked) == shape.Workers, "all workers are in an item that blocks");
            Pause.For(s_untilBlocked);
            var clock = SliceClock.Start();
            var started = Stopwatch.GetTimestamp();
            long ran = 0;
            queue.Queue(new Item(() =>
            {
                ran = Stopwatch.GetTimestamp();
                Volatile.Write(ref _isDone, 1);
            }));
            Await(() => Volatile.Read(ref _isDone) != 0, "the short item runs");
            var slice = clock.Stop(1) with { Nanoseconds = (ran - started) * s_nanosecondsPerTick };
            blocker.Release();
            Await(() => Volatile.Read(ref _blocked) == 0, "the workers are free again");
            return slice;
        }

        private void Block(IBlocker blocker)
        {
            Interlocked.Increment(ref _blocked);
            blocker.Block();
            Interlocked.Decrement(ref _blocked);
        }

        private void Await(Func<bool> condition, string what)
        {
            var start = Stopwatch.GetTimestamp();
            while (!condition())
            {
                Pause.For(s_look);
                if (Stopwatch.GetElapsedTime(start) > s_limit)
                {
                    throw new BenchmarkException(string.Create(
                        CultureInfo.InvariantCulture,
                        $"blocked, {shape.Kind.Name}: not within {s_limit.TotalSeconds:N0} s: {what}"));
                }
            }
        }
    }

    private sealed class Item(Action work) : IThreadPoolWorkItem
    {
        public void Execute() => work();
    }
}
