using System.Diagnostics.CodeAnalysis;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <summary>How the loops of a group behave. Read once, when the group is created.</summary>
/// <remarks>
/// Callbacks run soon after the event they report, one at a time, on a thread of the library that does nothing else: they may
/// block, and their exceptions go to <see cref="System.Diagnostics.Trace"/>. While one does not return, up to 4,096 calls are
/// queued, and later ones are dropped. The last calls may come after the group was disposed.
/// </remarks>
[Experimental(NumaDiagnostics.EventLoops)]
public sealed class NumaEventLoopGroupOptions
{
    /// <summary>
    /// How long a callback may block its loop before another thread of the node takes the loop over; zero: no limit, which is
    /// safe only when callbacks never block. 100 microseconds to 10 seconds.
    /// </summary>
    /// <value>Default 1 millisecond.</value>
    public TimeSpan StallThreshold { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>The most threads one loop may have when callbacks block: 1 to 4096.</summary>
    /// <value>Default 256.</value>
    internal int MaxThreadsPerLoop { get; set; } = 256;

    /// <summary>
    /// How long a wait polls the network device before it sleeps (EPIOCSPARAMS, ioctl_eventpoll(2), Linux 6.9): zero, or 1
    /// microsecond to 1 second. The device is the one that the loop's sockets last received from (NAPI); polling takes CPU time.
    /// If the kernel refuses, that is reported as a fallback, and the loop waits without polling.
    /// </summary>
    /// <value>Default zero: the system's (net.core.busy_poll).</value>
    public TimeSpan BusyPoll { get; set; }

    /// <summary>
    /// The maximum number of packets per poll of the device: 0 to 65535; more than 64 needs CAP_NET_ADMIN.
    /// </summary>
    /// <value>Default 0: the system's, 8.</value>
    public int BusyPollBudget { get; set; }

    /// <summary>
    /// Whether the device's interrupts stay off while the loop polls it, as far as napi_defer_hard_irqs, gro_flush_timeout and
    /// irq-suspend-timeout of the device allow it.
    /// </summary>
    /// <value>Default <see langword="false"/>.</value>
    public bool PreferBusyPoll { get; set; }

    /// <summary>How threads are pinned; <see langword="null"/> for the machine's own provider.</summary>
    public INumaAffinityProvider? Affinity { get; set; }

    /// <summary>
    /// Receives fallbacks: threads that cannot be pinned, missing spares, refused busy polling, a watchdog that polls.
    /// </summary>
    public NumaFallbacks? Fallbacks { get; set; }

    /// <summary>
    /// Called with an exception that a handler's callback threw. Without it such an exception ends the process, as on any thread.
    /// </summary>
    public Action<Exception>? UnhandledException { get; set; }

    /// <summary>
    /// Called when a loop was handed over, with the handler that blocked it.
    /// </summary>
    public Action<NumaEventLoop, EventLoopHandler?>? HandedOver { get; set; }

    /// <summary>
    /// Called when epoll fails on a loop (epoll_wait(2), or the eventfd that wakes it), with the error. The loop is
    /// rebuilt and continues: see <see cref="NumaEventLoop.IsServing"/>.
    /// </summary>
    public Action<NumaEventLoop, NumaException>? Failed { get; set; }

    /// <summary>
    /// Called once a second while a loop is stuck (see <see cref="NumaEventLoop.StuckFor"/>).
    /// </summary>
    public Action<NumaEventLoopStall>? Stuck { get; set; }

    /// <summary>Called when a loop that was stuck has resumed, with how long it was stuck.</summary>
    public Action<NumaEventLoop, TimeSpan>? Resumed { get; set; }

    /// <summary>The clock of the check for stuck loops; <see langword="null"/> for the system's time.</summary>
    public TimeProvider? Time { get; set; }

    /// <summary>Distinguishes late threads from preempted ones; <see langword="null"/> to ask the kernel.</summary>
    internal ThreadProgress? Progress { get; set; }

    /// <summary>How long <see cref="NumaEventLoopGroup.Dispose"/> waits for the threads of its loops, in all.</summary>
    internal TimeSpan EndLimit { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>A host's limit for that; none until a host begins it.</summary>
    internal StopLimit StopLimit { get; set; } = new(TimeProvider.System);

    /// <summary>A copy that later changes of these options do not reach.</summary>
    internal NumaEventLoopGroupOptions Copy() => (NumaEventLoopGroupOptions)MemberwiseClone();

    /// <summary>The three busy polling options for the kernel; all zero leaves the system's.</summary>
    internal EpollParameters EpollParameters => new()
    {
        BusyPollMicroseconds = (uint)Math.Ceiling(BusyPoll.TotalMicroseconds),
        BusyPollBudget = (ushort)BusyPollBudget,
        PreferBusyPoll = PreferBusyPoll ? (byte)1 : (byte)0,
    };
}

/// <summary>A stuck loop: a callback blocks it, and no other thread could take it over.</summary>
[Experimental(NumaDiagnostics.EventLoops)]
public sealed class NumaEventLoopStall
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="loop"><see cref="Loop"/></param>
    /// <param name="handler"><see cref="Handler"/></param>
    /// <param name="duration"><see cref="Duration"/></param>
    /// <param name="reason"><see cref="Reason"/></param>
    internal NumaEventLoopStall(NumaEventLoop loop, EventLoopHandler? handler, TimeSpan duration, string reason)
    {
        Loop = loop;
        Handler = handler;
        Duration = duration;
        Reason = reason;
    }

    /// <summary>The loop.</summary>
    public NumaEventLoop Loop { get; }

    /// <summary>The handler of the running callback; <see langword="null"/> if none runs.</summary>
    public EventLoopHandler? Handler { get; }

    /// <summary>For how long, at least.</summary>
    public TimeSpan Duration { get; }

    /// <summary>What the loop's thread does, and why no other one takes over; half a sentence in English.</summary>
    public string Reason { get; }
}
