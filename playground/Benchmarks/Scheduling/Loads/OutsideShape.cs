using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>One thread that is not a worker queues empty items as fast as it can; an operation is an item.</summary>
internal sealed class OutsideShape : ILoadShape
{
    public ILoad Create<TQueue>(TQueue queue)
        where TQueue : struct, IWorkQueue => new OutsideLoad<TQueue>(queue);

    private sealed class OutsideLoad<TQueue>(TQueue queue) : ILoad
        where TQueue : struct, IWorkQueue
    {
        // So many items are out at most: enough for all workers to be busy, and few enough to stay in the cache.
        private const int Window = 4096;
        private const int Batch = 256;

        private readonly TallyBoard _board = new();

        public Slice Run(int operations)
        {
            var item = new TalliedItem(_board);
            var before = _board.Total;
            var clock = SliceClock.Start();
            for (var queued = 0; queued < operations; queued++)
            {
                if (queued % Batch == 0)
                {
                    _board.WaitFor(before + queued - Window);
                }

                queue.Queue(item);
            }

            _board.WaitFor(before + operations);
            return clock.Stop(operations);
        }
    }
}
