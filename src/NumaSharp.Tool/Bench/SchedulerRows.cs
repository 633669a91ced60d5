using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Tool.Interop;

namespace NumaSharp.Tool.Bench;

/// <summary>
/// Our scheduler against .NET's thread pool, both as they start: CPU time of the whole process, so that threads that look for
/// work while others have it are included.
/// </summary>
internal static class SchedulerRows
{
    private const int Loops = 64;

    public static IEnumerable<BenchRow> All =>
    [
        Row(
            "outside cpu",
            static scheduler => new OutsideItems<NumaQueue>(new(scheduler)).Side(),
            static () => new OutsideItems<PoolQueue>(default).Side()),
        Row(
            "inside cpu",
            static scheduler => new InsideItems<NumaQueue>(new(scheduler)).Side(),
            static () => new InsideItems<PoolQueue>(default).Side()),
        Row(
            "await cpu",
            static scheduler => Await((loop, work) => scheduler.RunOnNode(loop % scheduler.Plan.Nodes.Count, work)),
            static () => Await(static (_, work) => Task.Run(work))),
    ];

    private static BenchRow Row(string name, Func<NumaTaskScheduler, BenchSide> ours, Func<BenchSide> theirs) =>
        new(name, "thread pool", "ns/item", IsPinned: false, context =>
        {
            using var scheduler = new NumaTaskScheduler(
                new NumaTaskSchedulerOptions { Plan = NumaPlan.Create(context.Topology) });
            return context.Contest.Compare(ours(scheduler), theirs());
        });

    // Methods that continue on their scheduler again and again.
    private static BenchSide Await(Func<int, Func<Task>, Task> start)
    {
        return new BenchSide(
            count => ProcessCost.Of(() =>
                Task.WhenAll(Enumerable.Range(0, Loops).Select(loop => start(loop, () => YieldAsync(count / Loops))))
                    .GetAwaiter().GetResult()),
            Loops);

        static async Task YieldAsync(int times)
        {
            for (var i = 0; i < times; i++)
            {
                await Task.Yield();
            }
        }
    }
}

/// <summary>CPU time of this process with all its threads.</summary>
internal static class ProcessCost
{
    private static readonly CpuClock s_clock = CpuClock.OfProcess(Environment.ProcessId);
    private static readonly ManualResetEvent s_never = new(initialState: false);

    // The clock is read when all threads sleep: what they spin after the last item belongs to it.
    private static readonly TimeSpan s_settling = TimeSpan.FromMilliseconds(1);

    public static double Of(Action work)
    {
        _ = s_never.WaitOne(s_settling);
        var start = s_clock.Read();
        work();
        _ = s_never.WaitOne(s_settling);
        return s_clock.Read() - start;
    }
}

/// <summary>Where items are queued; a struct, as <see cref="IBenchWork"/>.</summary>
internal interface IBenchQueue
{
    /// <summary>From a thread that is no worker.</summary>
    void Queue(IThreadPoolWorkItem item);

    /// <summary>From an item.</summary>
    void QueueInside(IThreadPoolWorkItem item);
}

/// <summary>From outside to the nodes in turn, from inside to the worker's own.</summary>
internal readonly struct NumaQueue(NumaTaskScheduler scheduler) : IBenchQueue
{
    [ThreadStatic]
    private static uint t_turn;

    private readonly int _nodes = scheduler.Plan.Nodes.Count;

    public void Queue(IThreadPoolWorkItem item) =>
        scheduler.QueueOnNode(_nodes == 1 ? 0 : (int)(t_turn++ % (uint)_nodes), item);

    public void QueueInside(IThreadPoolWorkItem item) =>
        scheduler.QueueOnNode(_nodes == 1 ? 0 : NumaTaskScheduler.CurrentNodeIndex, item);
}

/// <summary>The pool's common queue, and the one of a thread.</summary>
internal readonly struct PoolQueue : IBenchQueue
{
    public void Queue(IThreadPoolWorkItem item) => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);

    public void QueueInside(IThreadPoolWorkItem item) => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: true);
}

/// <summary>A thread that is no worker queues empty items as fast as it can, each again when it has run.</summary>
internal sealed class OutsideItems<TQueue>(TQueue queue)
    where TQueue : struct, IBenchQueue
{
    // Enough for all workers to be busy, and few enough to stay in the cache.
    private const int Window = 4096;

    private readonly Item[] _items = [.. Enumerable.Range(0, Window).Select(static _ => new Item())];

    public BenchSide Side() => new(count => ProcessCost.Of(() => Queue(count)));

    private void Queue(int count)
    {
        for (var i = 0; i < count; i++)
        {
            var item = _items[i % Window];
            item.Wait();
            item.Begin();
            queue.Queue(item);
        }

        Array.ForEach(_items, static item => item.Wait());
    }

    private sealed class Item : IThreadPoolWorkItem
    {
        private volatile bool _isQueued;

        public void Begin() => _isQueued = true;

        public void Execute() => _isQueued = false;

        // Without sleeping; a thread that has work gets the CPU.
        public void Wait()
        {
            var wait = default(SpinWait);
            while (_isQueued)
            {
                wait.SpinOnce(sleep1Threshold: -1);
            }
        }
    }
}

/// <summary>Items that queue themselves again from the worker.</summary>
internal sealed class InsideItems<TQueue>(TQueue queue)
    where TQueue : struct, IBenchQueue
{
    private const int Count = 64;

    private readonly TQueue _queue = queue;
    private readonly CountdownEvent _running = new(Count);

    public BenchSide Side() => new(count => ProcessCost.Of(() => Run(count / Count)), Count);

    private void Run(int times)
    {
        _running.Reset();
        for (var i = 0; i < Count; i++)
        {
            _queue.Queue(new Item(this, times));
        }

        _running.Wait();
    }

    private sealed class Item(InsideItems<TQueue> owner, int times) : IThreadPoolWorkItem
    {
        private int _left = times;

        public void Execute()
        {
            if (--_left > 0)
            {
                owner._queue.QueueInside(this);
            }
            else
            {
                owner._running.Signal();
            }
        }
    }
}
