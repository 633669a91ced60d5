using NumaSharp.Core;

namespace NumaSharp.EventLoop;

/// <summary>How the loops of a group behave.</summary>
public sealed class NumaEventLoopGroupOptions
{
    /// <summary>
    /// How long a callback may keep its loop before the loop goes on with another thread of the node; zero: for ever, which is
    /// safe only when callbacks never block. 100 microseconds to 10 seconds.
    /// </summary>
    /// <value>Default 1 millisecond.</value>
    public TimeSpan StallThreshold { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>The most threads one loop may have when callbacks block: 1 to 4096.</summary>
    /// <value>Default 256.</value>
    public int MaxThreadsPerLoop { get; set; } = 256;

    /// <summary>How threads are pinned; <see langword="null"/> for the machine's own provider.</summary>
    public INumaAffinityProvider? Affinity { get; set; }

    /// <summary>Told when a thread cannot be pinned.</summary>
    public NumaFallbacks? Fallbacks { get; set; }

    /// <summary>
    /// Called with what a handler's callback threw, on the loop's thread; must not throw. Without it such an exception ends the
    /// process, as on any thread.
    /// </summary>
    public Action<Exception>? UnhandledException { get; set; }

    /// <summary>
    /// Called when a loop was handed over, on the watchdog's thread, with the handler that kept it; must not throw or block.
    /// </summary>
    public Action<NumaEventLoop, EventLoopHandler?>? HandedOver { get; set; }

    /// <summary>
    /// Called when the kernel has failed a loop (epoll_wait(2), or the eventfd that wakes it), on any thread, with what failed;
    /// must not throw or block. The loop makes itself anew and goes on: see <see cref="NumaEventLoop.IsServing"/>.
    /// </summary>
    public Action<NumaEventLoop, NumaException>? Failed { get; set; }

    /// <summary>
    /// Called once a second while a loop is stuck (see <see cref="NumaEventLoop.StuckFor"/>), on a thread of the pool; must not
    /// throw or block.
    /// </summary>
    public Action<NumaEventLoopStall>? Stuck { get; set; }

    /// <summary>Called when a loop that was stuck goes on, with how long it was, as <see cref="Stuck"/>.</summary>
    public Action<NumaEventLoop, TimeSpan>? WentOn { get; set; }

    /// <summary>When to look for stuck loops; <see langword="null"/> for the system's time.</summary>
    public TimeProvider? Time { get; set; }

    /// <summary>Tells late threads from preempted ones; <see langword="null"/> to ask the kernel.</summary>
    internal ThreadProgress? Progress { get; set; }
}
