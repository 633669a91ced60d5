using System.Diagnostics;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>
/// Items that come all at once, the next burst when the last item of one has ended; an operation is a burst, and its time is
/// from the first call to the end of the last item.
/// </summary>
/// <param name="Size">Items of a burst.</param>
/// <param name="WorkSteps">What each does.</param>
/// <param name="IsProducerAsleep">Whether the producer sleeps until then, or polls and yields.</param>
internal sealed record BurstShape(int Size, int WorkSteps, bool IsProducerAsleep) : ILoadShape
{
    public ILoad Create<TQueue>(TQueue queue)
        where TQueue : struct, IWorkQueue =>
        IsProducerAsleep ? new AsleepLoad<TQueue>(queue, this) : new AwakeLoad<TQueue>(queue, this);

    private void QueueAll<TQueue>(TQueue queue, IThreadPoolWorkItem item)
        where TQueue : struct, IWorkQueue
    {
        for (var queued = 0; queued < Size; queued++)
        {
            queue.Queue(item);
        }
    }

    private sealed class AwakeLoad<TQueue>(TQueue queue, BurstShape shape) : ILoad, IThreadPoolWorkItem
        where TQueue : struct, IWorkQueue
    {
        private readonly TallyBoard _board = new();

        public Slice Run(int operations)
        {
            var total = _board.Total;
            var clock = SliceClock.Start();
            for (var burst = 0; burst < operations; burst++)
            {
                total += shape.Size;
                shape.QueueAll(queue, this);
                _board.WaitFor(total);
            }

            return clock.Stop(operations);
        }

        public void Execute()
        {
            Busy.Work(shape.WorkSteps);
            _board.Add();
        }
    }

    private sealed class AsleepLoad<TQueue>(TQueue queue, BurstShape shape) : ILoad, IThreadPoolWorkItem
        where TQueue : struct, IWorkQueue
    {
        private readonly Gate _gate = new();
        private long _end;

        public Slice Run(int operations)
        {
            long ticks = 0;
            var clock = SliceClock.Start();
            for (var burst = 0; burst < operations; burst++)
            {
                _gate.Close(shape.Size);
                var start = Stopwatch.GetTimestamp();
                shape.QueueAll(queue, this);
                _gate.Wait();
                ticks += _end - start;
            }

            return clock.Stop(operations) with { Nanoseconds = Stopwatch.GetElapsedTime(0, ticks).TotalNanoseconds };
        }

        public void Execute()
        {
            Busy.Work(shape.WorkSteps);
            if (_gate.Arrive())
            {
                _end = Stopwatch.GetTimestamp();
                _gate.Open();
            }
        }
    }
}
