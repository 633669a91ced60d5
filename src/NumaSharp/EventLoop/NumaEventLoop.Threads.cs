using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Core.Affinity;
using NumaSharp.Core.Memory;

namespace NumaSharp.EventLoop;

/// <content>The loop's threads: start, hand-over to a spare, stop.</content>
public sealed partial class NumaEventLoop
{
    private const int MaxSpares = 4;

    // Of the threads that a loop may have, this share may be late before its application code runs elsewhere.
    private const int LateShare = 4;

    private readonly ConcurrentStack<LoopThread> _spares = new();
    private readonly ConcurrentDictionary<LoopThread, bool> _threads = new();
    private NodePlacement _placement;
    private int _threadCount;
    private long _handOvers;
    private int _lateThreads;
    private volatile bool _lacksSpare;
    private readonly ClaimedFallback? _noSpare;

    /// <summary>How many threads lost the loop in a callback and are still in that callback.</summary>
    public int LateThreads => Volatile.Read(ref _lateThreads);

    /// <summary>
    /// Whether application code may block the holder: a thread is left to take the loop over, even if a few more never return.
    /// True without a watchdog, which hands nothing over. A hint; callers with threads of their own check before each call.
    /// </summary>
    internal bool MayBlock => !_lacksSpare && LateThreads < LateLimit;

    private int LateLimit => Math.Max(1, _options.MaxThreadsPerLoop / LateShare);

    internal void Start(StallWatchdog? watchdog)
    {
        _watchdog = watchdog;
        _alarm = watchdog?.AlarmOf(Index);
        SetBusyPoll();
        var first = TryStartThread() ?? throw new NumaException(
            $"Loop {Index} of node {NodeId} has no thread: the system has no more threads, memory or descriptors for this "
            + "process. Raise the limits of processes (ulimit -u, pids.max) and descriptors (ulimit -n).");
        _holder = first;
        first.Unpark();
        EnsureSpare();
    }

    /// <summary>
    /// Re-pins every thread of the loop: the holder and spares at once, those in a callback when it returns.
    /// </summary>
    internal void Place(NodePlacement placement)
    {
        Volatile.Write(ref _placement, placement);

        // The holder announces its sleep, then checks for a new placement; here the order is reversed.
        Interlocked.MemoryBarrier();
        WakeIfAsleep();
        foreach (var (thread, _) in _threads)
        {
            thread.Nudge();
        }
    }

    /// <summary>Pins the calling thread, one of the loop's, unless it already follows the placement.</summary>
    internal void FollowPlacement(LoopThread me)
    {
        Debug.Assert(me.IsCurrent, "A thread pins itself.");
        if (!IsPlaced(me))
        {
            me.Placement = Volatile.Read(ref _placement);
            me.Placement.PinLoop(_indexInNode);
        }
    }

    /// <summary>
    /// Gives the loop to a spare when its holder is still in the callback that <paramref name="word"/> names. Called by the
    /// watchdog only.
    /// </summary>
    internal bool TryHandOver(long word)
    {
        Debug.Assert(_watchdog is { IsCurrentThread: true }, "Two thieves could give one loop to two threads.");
        if (_stopping)
        {
            return false;
        }

        if (!_spares.TryPop(out var successor))
        {
            EnsureSpare();
            return false;
        }

        if (!_baton.TrySteal(word))
        {
            _spares.Push(successor);
            return false;
        }

        var kept = _running;
        Interlocked.Increment(ref _handOvers);
        Interlocked.Increment(ref _lateThreads);
        Volatile.Write(ref _holder, successor);
        successor.Unpark();
        _options.OnHandedOver(this, kept);
        EnsureSpare();
        return true;
    }

    /// <summary>Asks the threads to end. Late ones end when their callback returns.</summary>
    internal void RequestStop()
    {
        _stopping = true;
        Interlocked.MemoryBarrier();
        Ring();
        foreach (var (thread, _) in _threads)
        {
            thread.Unpark();
        }
    }

    /// <summary>
    /// Waits for the threads. One that hangs in application code is left behind; the loop is freed when it ends.
    /// </summary>
    internal bool Join(Deadline end)
    {
        var all = true;
        foreach (var (thread, _) in _threads)
        {
            all &= thread.Join(end.Left);
        }

        return all;
    }

    internal void OnThreadEnded(LoopThread thread)
    {
        _threads.TryRemove(thread, out _);
        if (Interlocked.Decrement(ref _threadCount) == 0 && _stopping)
        {
            Free();
        }
    }

    /// <summary>Ends a loop of a group that could not be started as a whole.</summary>
    internal void Abandon()
    {
        if (ThreadCount == 0)
        {
            Free();
        }
        else
        {
            RequestStop();
        }
    }

    private bool IsPlaced(LoopThread thread) => ReferenceEquals(thread.Placement, Volatile.Read(ref _placement));

    private void Free()
    {
        Debug.Assert(ThreadCount == 0, "The last thread frees what all of them use.");
        _epoll.Dispose();
        _doorbell.Dispose();
        _events.Dispose();
        _noSpare?.End();
        _noBusyPoll?.End();
        EndRestart();
    }

    private LoopThread CreateThread()
    {
        var number = Interlocked.Increment(ref _threadCount);
        var name = string.Create(CultureInfo.InvariantCulture, $"numa{NodeId}-loop{Index}.{number}");
        var thread = new LoopThread(this, name);
        _threads[thread] = true;
        return thread;
    }

    // A spare is created ahead of need: creating a thread takes longer than the stall threshold.
    private void EnsureSpare()
    {
        if (_watchdog is null || !_spares.IsEmpty || _stopping || ThreadCount >= _options.MaxThreadsPerLoop)
        {
            return;
        }

        if (TryStartThread() is { } spare)
        {
            AddSpare(spare);
        }
        else
        {
            _lacksSpare = true;
            _noSpare?.Tell(
                $"Loop {Index} of node {NodeId} could not start a spare thread (out of memory or descriptors); "
                + "until it can, a callback that blocks delays the loop.");
        }
    }

    /// <summary>Retries a spare that could not be created. While nothing may block, nothing else retries it.</summary>
    internal void RetrySpare()
    {
        if (_lacksSpare)
        {
            EnsureSpare();
        }
    }

    /// <summary>Starts a thread that parks until it is given the loop.</summary>
    private LoopThread? TryStartThread()
    {
        var thread = CreateThread();
        try
        {
            thread.Start();
        }
        catch (OutOfMemoryException)
        {
            // The runtime throws this, too, when descriptors have run out: a thread takes a pipe. Retried at the next need.
            _threads.TryRemove(thread, out _);
            Interlocked.Decrement(ref _threadCount);
            return null;
        }

        // A stop request has either found the thread in the list, or has set the flag before this check.
        if (_stopping)
        {
            thread.Unpark();
        }

        return thread;
    }

    // The thread was late and another one has the loop. Its cached blocks go back: it may stay parked for long.
    private bool ParkAsSpare(LoopThread me)
    {
        // The watchdog may not have named the successor yet: a nudge would make this thread a second holder.
        Interlocked.CompareExchange(ref _holder, null, me);
        Interlocked.Decrement(ref _lateThreads);
        NumaMemoryPool.SpillThreadCache();
        me.Reset();
        if (_stopping || _spares.Count >= MaxSpares)
        {
            return false;
        }

        AddSpare(me);
        return true;
    }

    private void AddSpare(LoopThread spare)
    {
        _spares.Push(spare);
        _lacksSpare = false;
        _noSpare?.End();
    }
}
