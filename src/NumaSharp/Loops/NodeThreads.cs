using System.Collections.Concurrent;
using System.Diagnostics;
using NumaSharp.Core;
using NumaSharp.Core.Planning;

namespace NumaSharp.EventLoop;

/// <summary>
/// The threads of a node's loops. One spare is ready at any time, for whichever loop of the node needs it; more are created on
/// demand. Thread-safe.
/// </summary>
internal sealed class NodeThreads
{
    // Threads that were late come back as spares. As many as loops are often blocked at the same time stay.
    private const int SparesPerLoop = 4;

    private readonly ConcurrentStack<LoopThread> _spares = new();
    private readonly ConcurrentDictionary<LoopThread, bool> _threads = new();
    private readonly ClaimedFallback? _noSpare;
    private readonly bool _keepsSpare;
    private NodePlacement _placement;
    private int _number;
    private int _count;
    private volatile bool _lacksSpare;
    private volatile bool _stopping;

    /// <param name="placement">Where the threads run.</param>
    /// <param name="fallbacks">Receives <c>loop.spare</c>.</param>
    /// <param name="keepsSpare">Whether there is a watchdog, which hands loops over.</param>
    public NodeThreads(NodePlacement placement, NumaFallbacks? fallbacks, bool keepsSpare)
    {
        _placement = placement;
        _keepsSpare = keepsSpare && placement.Node.Loops > 0;
        if (fallbacks is not null)
        {
            _noSpare = new ClaimedFallback(fallbacks, FallbackCatalog.LoopSpare, placement.Node.NodeId);
        }
    }

    /// <summary>Replaced as a whole; see rule 8 of the README.</summary>
    public NodePlacement Placement => Volatile.Read(ref _placement);

    public bool HasSpare => !_spares.IsEmpty;

    public int SpareCount => _spares.Count;

    /// <summary>Whether the last spare that was needed could not be created.</summary>
    public bool LacksSpare => _lacksSpare;

    public bool IsStopping => _stopping;

    /// <summary>How many threads the node has: in its loops, late ones, and spares.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>First step of a new placement: the loops that sleep must be woken next, then <see cref="NudgeAll"/>.</summary>
    public void Place(NodePlacement placement)
    {
        Volatile.Write(ref _placement, placement);

        // A holder announces its sleep, then checks for a new placement; here the order is reversed.
        Interlocked.MemoryBarrier();
    }

    /// <summary>Makes parked threads check for a new placement; the others check by themselves.</summary>
    public void NudgeAll()
    {
        foreach (var (thread, _) in _threads)
        {
            thread.Nudge();
        }
    }

    /// <summary>
    /// A parked thread for a loop that is to be handed over. <see langword="null"/> if there is none: then one is created for the
    /// next time: by the time a thread has started, the callback may have returned.
    /// </summary>
    public LoopThread? Take()
    {
        if (_spares.TryPop(out var spare))
        {
            return spare;
        }

        EnsureSpare();
        return null;
    }

    /// <summary>Gives back a thread that was taken and is in no loop.</summary>
    public void PutBack(LoopThread spare)
    {
        AddSpare(spare);
        if (_stopping)
        {
            // It may have been woken for its end while it was taken.
            spare.Unpark();
        }
    }

    /// <summary>The calling thread, which was late, has left its loop and becomes a spare, or ends if there are enough.</summary>
    public void Park(LoopThread me)
    {
        Debug.Assert(me is { IsCurrent: true, Loop: null }, "A thread parks itself, when it is in no loop.");
        if (_stopping || SpareCount >= SparesPerLoop * Placement.Node.Loops)
        {
            me.TryEnd();
        }
        else
        {
            AddSpare(me);
        }
    }

    /// <summary>
    /// Creates a spare unless there is one. Ahead of need: creating a thread takes longer than waiting for one that is parked.
    /// </summary>
    public void EnsureSpare()
    {
        if (!_keepsSpare || HasSpare || _stopping)
        {
            return;
        }

        if (TryStart(loop: null) is { } spare)
        {
            AddSpare(spare);
        }
        else
        {
            OnSpareMissing();
        }
    }

    /// <summary>Retries a spare that could not be created: while nothing may block, nothing else retries it.</summary>
    public void RetrySpare()
    {
        if (_lacksSpare)
        {
            EnsureSpare();
        }
    }

    /// <summary>Ends the threads that are parked now: those that take their place are new.</summary>
    public void RetireSpares()
    {
        while (_spares.TryPop(out var spare))
        {
            spare.TryEnd();
            spare.Unpark();
        }
    }

    /// <summary>Starts a thread that waits until it is unparked.</summary>
    /// <param name="loop">The loop that it is for, which has counted it; <see langword="null"/> for a spare.</param>
    /// <returns><see langword="null"/> if the system has no more threads, memory or descriptors.</returns>
    public LoopThread? TryStart(NumaEventLoop? loop)
    {
        Interlocked.Increment(ref _count);
        var thread = new LoopThread(this, loop, Interlocked.Increment(ref _number));
        _threads[thread] = true;
        try
        {
            thread.Start();
        }
        catch (OutOfMemoryException)
        {
            // The runtime throws this, too, when descriptors have run out: a thread takes a pipe. Retried at the next need.
            OnEnded(thread);
            return null;
        }

        // A stop request has either found the thread in the list, or has set the flag before this check.
        if (_stopping)
        {
            thread.Unpark();
        }

        return thread;
    }

    /// <summary>Asks the threads to end: parked ones at once, others when they have left their loops.</summary>
    public void RequestStop()
    {
        _stopping = true;
        Interlocked.MemoryBarrier();
        foreach (var (thread, _) in _threads)
        {
            thread.Unpark();
        }
    }

    /// <summary>Waits for the threads. One that hangs in application code is left behind.</summary>
    public void Join(Deadline end)
    {
        foreach (var (thread, _) in _threads)
        {
            thread.Join(end.Left);
        }
    }

    public void OnEnded(LoopThread thread)
    {
        _threads.TryRemove(thread, out _);
        if (Interlocked.Decrement(ref _count) == 0 && _stopping)
        {
            _noSpare?.End();
        }
    }

    private void AddSpare(LoopThread spare)
    {
        _spares.Push(spare);
        OnSpareReady();
    }

    private void OnSpareReady()
    {
        _lacksSpare = false;
        _noSpare?.End();
    }

    private void OnSpareMissing()
    {
        _lacksSpare = true;
        _noSpare?.Report(
            $"Node {Placement.Node.NodeId} could not start a spare thread for its event loops (out of memory or "
            + $"descriptors). {FallbackCatalog.LoopSpare.Effect}");
        if (HasSpare)
        {
            // A thread has become a spare meanwhile, and ended the fallback before it was reported.
            OnSpareReady();
        }
    }
}
