using System.Diagnostics;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>
/// Items that come one by one; an operation is an item. The thread that queues them reads the clock in between; its
/// CPU time does not count.
/// </summary>
/// <param name="GapMicroseconds">From one to the next.</param>
/// <param name="WorkSteps">What each does.</param>
/// <param name="AreRandom">Whether the gaps are exponentially distributed, or all the same.</param>
internal sealed record ArrivalsShape(double GapMicroseconds, int WorkSteps, bool AreRandom) : ILoadShape
{
    private const int Seed = 1;

    public ILoad Create<TQueue>(TQueue queue)
        where TQueue : struct, IWorkQueue => new ArrivalsLoad<TQueue>(queue, this);

    /// <summary>When each is due, in ticks of the clock from the start.</summary>
    private long[] Schedule(int count)
    {
        var random = new Random(Seed);
        var due = 0.0;
        var ticks = GapMicroseconds * Stopwatch.Frequency / 1e6;
        var schedule = new long[count];
        foreach (ref var next in schedule.AsSpan())
        {
            due += AreRandom ? -Math.Log(1 - random.NextDouble()) * ticks : ticks;
            next = (long)due;
        }

        return schedule;
    }

    private sealed class ArrivalsLoad<TQueue>(TQueue queue, ArrivalsShape shape) : ILoad
        where TQueue : struct, IWorkQueue
    {
        private readonly Gate _gate = new();

        public Slice Run(int operations)
        {
            var schedule = shape.Schedule(operations);
            Arrival[] arrivals = [.. schedule.Select(_ => new Arrival(shape.WorkSteps, _gate))];
            _gate.Close(operations);
            var clock = SliceClock.Start();
            var pacing = ThreadCpuClock.ReadNanoseconds();
            var queueing = QueueAll(arrivals, schedule);
            pacing = ThreadCpuClock.ReadNanoseconds() - pacing - queueing;
            _gate.Wait();
            return clock.Stop(operations, pacing, arrivals.Select(static arrival => arrival.WaitNanoseconds).ToArray());
        }

        // Returns the CPU time that the calls took.
        private long QueueAll(Arrival[] arrivals, long[] schedule)
        {
            long queueing = 0;
            var start = Stopwatch.GetTimestamp();
            for (var next = 0; next < arrivals.Length; next++)
            {
                while (Stopwatch.GetTimestamp() - start < schedule[next])
                {
                    Thread.SpinWait(1);
                }

                var before = ThreadCpuClock.ReadNanoseconds();
                arrivals[next].QueuedAt = Stopwatch.GetTimestamp();
                queue.Queue(arrivals[next]);
                queueing += ThreadCpuClock.ReadNanoseconds() - before;
            }

            return queueing;
        }
    }

    private sealed class Arrival(int workSteps, Gate gate) : IThreadPoolWorkItem
    {
        public long QueuedAt { get; set; }

        public int WaitNanoseconds { get; private set; }

        public void Execute()
        {
            WaitNanoseconds = (int)Stopwatch.GetElapsedTime(QueuedAt).TotalNanoseconds;
            Busy.Work(workSteps);
            if (gate.Arrive())
            {
                gate.Open();
            }
        }
    }
}
