using System.Diagnostics;
using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.EventLoop;

/// <content>The loop's threads: start, hand-over to a spare of the node, stop.</content>
public sealed partial class NumaEventLoop
{
    // Of the threads that a loop may have, this share may be late before its application code runs elsewhere.
    private const int LateShare = 4;

    private readonly NodeThreads _threads;
    private int _threadCount;
    private long _handOvers;
    private int _lateThreads;

    private long _stuckTicks;

    /// <summary>How many threads lost the loop in a callback and are still in that callback.</summary>
    internal int LateThreads => Volatile.Read(ref _lateThreads);

    /// <summary>
    /// Whether application code may block the holder: a thread is left to take the loop over, even if a few more never return.
    /// True without a watchdog, which hands nothing over. A hint; callers with threads of their own check before each call.
    /// </summary>
    internal bool MayBlock => !_threads.LacksSpare && LateThreads < LateLimit;

    private int LateLimit => Math.Max(1, _options.MaxThreadsPerLoop / LateShare);

    internal void Start(StallWatchdog? watchdog)
    {
        _watchdog = watchdog;
        _alarm = watchdog?.AlarmOf(Index);
        SetBusyPoll();
        _threadCount = 1;
        if (_threads.TryStart(this) is not { } first)
        {
            _threadCount = 0;
            throw new NumaException(
                $"Loop {Index} of node {NodeId} got no thread: the process is out of threads, memory or descriptors. "
                + "Raise the limits of processes (ulimit -u, pids.max) and descriptors (ulimit -n).");
        }

        _holder = first;
        first.Unpark();
    }

    /// <summary>After <see cref="NodeThreads.Place"/>: a sleeping loop wakes up, and its holder follows the placement.</summary>
    internal void FollowPlacement() => WakeIfAsleep();

    /// <summary>
    /// Gives the loop to a spare when its holder is still in the callback that <paramref name="word"/> names. Called by the
    /// watchdog only.
    /// </summary>
    internal bool TryHandOver(long word)
    {
        Debug.Assert(_watchdog is { IsCurrentThread: true }, "Two thieves could give one loop to two threads.");

        // If the steal succeeds, it was that callback.
        if (!MayLoseCallback || _stopping || ThreadCount >= _options.MaxThreadsPerLoop || _threads.Take() is not { } successor)
        {
            return false;
        }

        // In the loop before the steal: from then on it must be there, whatever ends meanwhile.
        if (!TryAdmit(successor))
        {
            return false;
        }

        if (!_baton.TrySteal(word))
        {
            Leave(successor);
            _threads.PutBack(successor);
            return false;
        }

        var kept = _running;
        Interlocked.Increment(ref _handOvers);
        Interlocked.Increment(ref _lateThreads);
        Volatile.Write(ref _holder, successor);
        successor.Unpark();
        _reports.OnHandedOver(this, kept);
        _threads.EnsureSpare();
        return true;
    }

    /// <summary>
    /// Asks the loop to end. Late threads leave it when their callbacks return. One that was not started is freed here.
    /// </summary>
    internal void RequestStop()
    {
        // Counted as a thread, so that the loop is not freed by its holder before this has rung.
        Interlocked.Increment(ref _threadCount);
        _stopping = true;
        Interlocked.MemoryBarrier();
        Ring();
        Release();
    }

    // A thread that ends enters no loop, and a loop that all threads have left takes none.
    private bool TryAdmit(LoopThread spare)
    {
        if (!spare.TryEnter(this))
        {
            return false;
        }

        int count;
        do
        {
            count = ThreadCount;
            if (count == 0)
            {
                spare.Leave();
                _threads.PutBack(spare);
                return false;
            }
        }
        while (Interlocked.CompareExchange(ref _threadCount, count + 1, count) != count);

        return true;
    }

    // The last thread to leave frees what all of them use.
    private void Leave(LoopThread thread)
    {
        thread.Leave();
        Release();
    }

    private void Release()
    {
        if (Interlocked.Decrement(ref _threadCount) == 0)
        {
            Debug.Assert(_stopping, "Until then a loop has a holder.");
            Free();
        }
    }

    // The calling thread was late, and another one has the loop. Its cached blocks go back: it may stay parked for long.
    private void LeaveLate(LoopThread me)
    {
        // The watchdog may not have named the successor yet, and an observer must not take this thread for the holder.
        Interlocked.CompareExchange(ref _holder, null, me);
        Interlocked.Decrement(ref _lateThreads);
        NumaMemoryPool.SpillThreadCache();
        me.Reset();
        Leave(me);
        _threads.Park(me);
    }

    private void Free()
    {
        Debug.Assert(ThreadCount == 0, "The last thread frees what all of them use.");
        _epoll.Dispose();
        _doorbell.Dispose();
        _events.Dispose();
        _noBusyPoll?.End();
        EndRestart();
    }

    // State of a loop that any thread may read at any time. It costs the loop nothing, and nothing waits for it.

    /// <summary>
    /// How long one callback has blocked the loop while no other thread could take it over, as of the last second: zero while the
    /// loop runs, 5 seconds or more otherwise.
    /// </summary>
    public TimeSpan StuckFor => new(Volatile.Read(ref _stuckTicks));

    /// <summary>Why no other thread takes over if the holder does not return; half a sentence. May be stale at once.</summary>
    internal string Relief => _watchdog is null || !MayLoseCallback ? "no other thread may take over the loop"
        : ThreadCount >= _options.MaxThreadsPerLoop ? string.Create(
            CultureInfo.InvariantCulture,
            $"no callback of the loop's other threads returns either (it may have {_options.MaxThreadsPerLoop} threads)")
        : _threads.HasSpare ? "another thread would wait for the same CPU"
        : "no other thread could be started";

    /// <summary>
    /// Whether the callback that runs may lose the loop. Valid only for the baton word that was read before and has not changed.
    /// </summary>
    internal bool MayLoseCallback => Volatile.Read(ref _running) is not { AllowsHandOver: false };

    /// <summary>Whether the watchdog will check the loop again; false for an idle one.</summary>
    internal bool IsWatched => _alarm is { IsOn: true };

    internal void SetStuckFor(TimeSpan duration) => Volatile.Write(ref _stuckTicks, duration.Ticks);

    /// <summary>Reads which thread holds the loop, and in which callback: valid only while the word is unchanged.</summary>
    /// <param name="word">The baton word as the caller read it before.</param>
    /// <param name="running">The handler of the running callback; <see langword="null"/> between callbacks.</param>
    /// <param name="threadId">The holder's kernel thread id; 0 while there is no holder.</param>
    internal bool TryLookAt(long word, out EventLoopHandler? running, out int threadId)
    {
        running = LoopBaton.IsInCallback(word) ? Volatile.Read(ref _running) : null;
        threadId = Volatile.Read(ref _holder)?.KernelId ?? 0;
        return BatonWord == word;
    }
}
