using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>64 items that queue themselves again and again where they run; an operation is one run.</summary>
internal sealed class InsideShape : ILoadShape
{
    private const int Chains = 64;

    public ILoad Create<TQueue>(TQueue queue)
        where TQueue : struct, IWorkQueue => new InsideLoad<TQueue>(queue);

    private sealed class InsideLoad<TQueue> : ILoad
        where TQueue : struct, IWorkQueue
    {
        private readonly Gate _gate = new();
        private readonly TQueue _queue;
        private readonly Chain[] _chains;

        public InsideLoad(TQueue queue)
        {
            _queue = queue;
            _chains = [.. Enumerable.Range(0, Chains).Select(_ => new Chain(queue, _gate))];
        }

        public Slice Run(int operations)
        {
            var links = Math.Max(1, operations / Chains);
            _gate.Close(Chains);
            var clock = SliceClock.Start();
            foreach (var chain in _chains)
            {
                chain.Links = links;
                _queue.Queue(chain);
            }

            _gate.Wait();
            return clock.Stop(links * Chains);
        }

        private sealed class Chain(TQueue queue, Gate gate) : IThreadPoolWorkItem
        {
            public int Links { get; set; }

            public void Execute()
            {
                if (--Links > 0)
                {
                    queue.QueueInside(this);
                }
                else if (gate.Arrive())
                {
                    gate.Open();
                }
            }
        }
    }
}
