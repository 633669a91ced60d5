using System.Runtime.CompilerServices;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling;

public sealed partial class NumaTaskScheduler
{
    private const int Running = 0;
    private const int Draining = 1;
    private const int Stopped = 2;

    private const int MostGroupsOnStack = 256;

    // Workers between two items end at once; this allows for a machine that is slow to run them.
    private static readonly TimeSpan s_joinGrace = TimeSpan.FromSeconds(1);

    [ThreadStatic]
    private static NumaTaskScheduler? t_runsFor;

    private readonly ManualResetEventSlim _drained = new(false);
    private readonly ManualResetEventSlim _ended = new(false);
    private int _phase;
    private int _left;

    internal bool IsStopped => Volatile.Read(ref _phase) == Stopped;

    internal bool IsRunning => Volatile.Read(ref _phase) == Running;

    /// <summary>
    /// Ends the workers: new work is refused; queued work, and what that queues, still runs for at most
    /// <see cref="NumaTaskSchedulerOptions.DrainTimeout"/>, or for the rest of a stopping host's time. Work left then, and tasks
    /// that come later because an <c>await</c> ends, run on the thread pool: no accepted work is lost. On one of its own workers
    /// it cannot wait for itself, and returns while the shutdown is under way. Further calls wait for the first.
    /// </summary>
    public void Dispose()
    {
        if (_isShared)
        {
            return;
        }

        var isFirst = Interlocked.CompareExchange(ref _phase, Draining, Running) == Running;
        if (GroupOfCaller is not null || Monitor.IsCurrentThread || _starter?.IsCurrentThread == true)
        {
            if (isFirst)
            {
                EndElsewhere();
            }
        }
        else if (isFirst)
        {
            End();
        }
        else
        {
            _ended.Wait();
        }
    }

    internal void StarterEnded() => Starter = null;

    /// <summary>Called whenever a worker goes to sleep: the last one to do so reports that everything is drained.</summary>
    internal void NoticeIdle()
    {
        if (Volatile.Read(ref _phase) == Draining && IsDrained)
        {
            _drained.Set();
        }
    }

    // All idle, nothing queued, and no worker has stopped being idle meanwhile, not even to leave: a worker that is being woken
    // counts as idle until just before it takes the item.
    private bool IsDrained
    {
        get
        {
            // Read twice: what is the same both times has been so in between, in all groups at once.
            var count = _groups.Length;
            Span<long> populations = count <= MostGroupsOnStack ? stackalloc long[count] : new long[count];
            for (var i = 0; i < count; i++)
            {
                populations[i] = _groups[i].Population;
                if (!WorkerGroup.AreAllIdle(populations[i]))
                {
                    return false;
                }
            }

            foreach (var group in _groups)
            {
                if (group.HasOwnWork)
                {
                    return false;
                }
            }

            for (var i = 0; i < count; i++)
            {
                if (_groups[i].Population != populations[i])
                {
                    return false;
                }
            }

            return true;
        }
    }

    private void Start()
    {
        try
        {
            foreach (var group in _groups)
            {
                group.Start(_starter is null ? int.MaxValue : 1);
            }

            Monitor.Start();

            // Last, because nothing would end the fallbacks that it reports if this failed after it.
            _starter?.Start();
        }
        catch
        {
            // Without a thread there is no scheduler; those that did start must not stay behind.
            Volatile.Write(ref _phase, Stopped);
            Monitor.RequestStop();
            foreach (var group in _groups)
            {
                group.UnparkAll();
            }

            throw;
        }
    }

    private void EndElsewhere()
    {
        try
        {
            SystemThread.Start(new Thread(End) { IsBackground = true, Name = $"{ThreadNamePrefix}-end" });
        }
        catch (OutOfMemoryException)
        {
            // New work is refused already, and other callers of Dispose wait for the end: it must come, without a new thread.
            ThreadPool.UnsafeQueueUserWorkItem(static scheduler => scheduler.End(), this, preferLocal: false);
        }
    }

    private void End()
    {
        var drain = _stopLimit.Of(_drainTimeout);
        var end = Deadline.In(_drainTimeout == Timeout.InfiniteTimeSpan ? _drainTimeout : _drainTimeout + s_joinGrace);
        Interlocked.MemoryBarrier();
        if (!IsDrained)
        {
            _drained.Wait(drain);
        }

        Interlocked.Exchange(ref _phase, Stopped);
        Monitor.RequestStop();
        _starter?.RequestStop();
        var workers = _groups.SelectMany(static group => group.UnparkAll()).ToArray();
        var queued = HandOver();
        var join = Deadline.In(_stopLimit.Of(end.Left));
        var stuck = workers.Count(worker => !worker.Join(join.Left));

        // These two add no workers any more, whenever they end.
        Monitor.Join(join.Left);
        _starter?.Join(join.Left);
        queued += HandOver() + Volatile.Read(ref _left);
        if (queued + stuck != 0)
        {
            ReportFallback(new NumaFallback(
                FallbackCatalog.SchedulerDrain,
                $"{queued} items were still queued and {stuck} running {drain.TotalSeconds:0.###} s after the scheduler was "
                    + "disposed: queued ones run on the thread pool."));
        }

        _claims.ForEach(static claim => claim.End());
        _ended.Set();
    }

    /// <summary>After the end: moves queued items to the thread pool. Any number of threads may call it at a time.</summary>
    private int HandOver()
    {
        var count = 0;
        foreach (var group in _groups)
        {
            while (group.TryTakeAny(out var item))
            {
                RunElsewhere(item);
                count++;
            }
        }

        return count;
    }

    /// <summary>Runs an item that a worker had taken when it ended.</summary>
    internal void RunLeft(WorkItem item)
    {
        Interlocked.Increment(ref _left);
        RunElsewhere(item);
    }

    /// <summary>Runs an item on the thread pool, because the workers have ended.</summary>
    internal void RunElsewhere(WorkItem item) =>
        ThreadPool.UnsafeQueueUserWorkItem(
            static pair =>
            {
                t_runsFor = pair.Scheduler;
                pair.Scheduler.Execute(pair.Item);
                t_runsFor = null;
            },
            (Scheduler: this, Item: item),
            preferLocal: false);

    // Accepted work may queue more to the end, wherever it runs: the rest of it would be lost otherwise.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void ThrowIfClosed()
    {
        if (Volatile.Read(ref _phase) != Running)
        {
            ThrowIfCallerIsOutside();
        }
    }

    private void ThrowIfCallerIsOutside() =>
        ObjectDisposedException.ThrowIf(t_runsFor != this && GroupOfCaller is null, this);
}
