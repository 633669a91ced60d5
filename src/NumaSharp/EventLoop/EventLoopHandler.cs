using System.Runtime.InteropServices;
using NumaSharp.Core;

namespace NumaSharp.EventLoop;

/// <summary>
/// Receives the events of one descriptor, or of posts alone. Belongs to at most one loop at a time.
/// </summary>
/// <remarks>
/// Callbacks of one handler never run at the same time, unless the loop was handed over while one of them was still running
/// (see <see cref="OnHandedOver"/>): a handler guards what its callbacks share with a lock of its own.
/// </remarks>
public abstract class EventLoopHandler
{
    private int _isQueued;

    /// <summary>The slot in the loop's table; 0 while not registered.</summary>
    internal int Slot { get; set; }

    /// <summary>Tells events of this registration from those of an earlier one in the same slot.</summary>
    internal uint Generation { get; set; }

    /// <summary>What is registered; <see langword="null"/> while nothing is.</summary>
    internal SafeHandle? Descriptor { get; set; }

    /// <summary>What it is watched for, with the kernel's flags.</summary>
    internal uint Interest { get; set; }

    /// <summary>The next handler in the loop's post queue.</summary>
    internal EventLoopHandler? NextPosted { get; set; }

    /// <summary>Handles events, on the loop's thread. Must not throw; what it throws is reported and dropped.</summary>
    /// <param name="events">What happened.</param>
    protected internal abstract void OnReady(EventLoopEvents events);

    /// <summary>
    /// Says that a callback of this handler ran for longer than the stall threshold and the loop went on without it. Called
    /// once, on the new thread, while the old one is possibly still inside the callback.
    /// </summary>
    protected internal virtual void OnHandedOver()
    {
    }

    /// <summary>
    /// Says that the loop has been made anew and cannot watch the descriptor any more: it was closed by somebody else, or the
    /// kernel refuses. Called on the loop's thread; the handler is not registered then. Must not throw.
    /// </summary>
    /// <param name="reason">Why.</param>
    protected internal virtual void OnUnwatched(NumaException reason)
    {
    }

    internal bool TryMarkQueued() => Interlocked.Exchange(ref _isQueued, 1) == 0;

    /// <summary>
    /// A full fence: what a poster wrote who found the handler still queued is visible to the callback. After a mere store the
    /// callback's loads could come first, and the post would be lost.
    /// </summary>
    internal void MarkTaken() => Interlocked.Exchange(ref _isQueued, 0);
}
