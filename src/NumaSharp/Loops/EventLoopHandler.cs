using System.Diagnostics.CodeAnalysis;
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
[Experimental(NumaDiagnostics.EventLoops)]
public abstract class EventLoopHandler
{
    private int _isQueued;

    /// <summary>The component that it belongs to; <see langword="null"/> for the group's own options.</summary>
    internal virtual LoopUser? User => null;

    /// <summary>Whether its callbacks may lose the loop to another thread; see <see cref="LoopUser.AllowsHandOver"/>.</summary>
    internal bool AllowsHandOver => User is not { AllowsHandOver: false };

    /// <summary>The slot in the loop's table; 0 while not registered.</summary>
    internal int Slot { get; set; }

    /// <summary>Distinguishes events of this registration from those of an earlier one in the same slot.</summary>
    internal uint Generation { get; set; }

    /// <summary>The registered descriptor; <see langword="null"/> while there is none.</summary>
    internal SafeHandle? Descriptor { get; set; }

    /// <summary>The events it is watched for, as the kernel's flags.</summary>
    internal uint Interest { get; set; }

    /// <summary>The next handler in the loop's post queue.</summary>
    internal EventLoopHandler? NextPosted { get; set; }

    /// <summary>
    /// Handles events on the loop's thread. Must not throw: an exception goes to
    /// <see cref="NumaEventLoopGroupOptions.UnhandledException"/>, or ends the process if that is not set.
    /// </summary>
    /// <param name="events">What happened.</param>
    protected internal abstract void OnReady(EventLoopEvents events);

    /// <summary>
    /// Called when a callback of this handler ran for longer than the stall threshold and another thread took the loop over.
    /// Called once, on the new thread; the old one may still be inside the callback.
    /// </summary>
    protected internal virtual void OnHandedOver()
    {
    }

    /// <summary>
    /// Called when the loop was rebuilt and can no longer watch the descriptor: other code closed it, or the kernel refuses it.
    /// Runs on the loop's thread; the handler is no longer registered. Must not throw.
    /// </summary>
    /// <param name="reason">The error of epoll_ctl(2).</param>
    protected internal virtual void OnUnwatched(NumaException reason)
    {
    }

    internal bool TryMarkQueued() => Interlocked.Exchange(ref _isQueued, 1) == 0;

    /// <summary>
    /// A full fence: when a poster finds the handler still queued, what it wrote before is visible to the callback. With a plain
    /// store the callback's loads could come first, and the post would be lost.
    /// </summary>
    internal void MarkTaken() => Interlocked.Exchange(ref _isQueued, 0);
}

/// <summary>What happened to a descriptor. The values are the kernel's (epoll_ctl(2)); <see cref="Posted"/> is ours.</summary>
[Experimental(NumaDiagnostics.EventLoops)]
[Flags]
public enum EventLoopEvents
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>There may be something to read (EPOLLIN).</summary>
    Readable = 0x001,

    /// <summary>There is urgent data (EPOLLPRI).</summary>
    Urgent = 0x002,

    /// <summary>There may be room to write (EPOLLOUT).</summary>
    Writable = 0x004,

    /// <summary>An error is pending (EPOLLERR); always reported.</summary>
    Error = 0x008,

    /// <summary>Both directions are closed (EPOLLHUP); always reported.</summary>
    HangUp = 0x010,

    /// <summary>The peer has closed its sending direction (EPOLLRDHUP).</summary>
    PeerClosed = 0x2000,

    /// <summary>Not an event of the descriptor: <see cref="NumaEventLoop.Post"/> was called.</summary>
    Posted = 0x10000,
}
