using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Udp;

/// <summary>How the event loops of datagram sockets behave.</summary>
public sealed class NumaUdpFactoryOptions
{
    /// <summary>
    /// How long a handler may keep its loop before another thread of the node serves the loop's other sockets; zero: for ever.
    /// 100 microseconds to 10 seconds.
    /// </summary>
    /// <value>Default 1 millisecond.</value>
    public TimeSpan StallThreshold { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>
    /// When to look for sockets that were lost, and how close datagrams come; <see langword="null"/> for the system's time.
    /// </summary>
    public TimeProvider? Time { get; set; }

    /// <summary>How long the end of a socket waits for a handler that runs.</summary>
    internal TimeSpan EndLimit { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>A host's limit for that; none until a host begins it.</summary>
    internal StopLimit StopLimit { get; set; } = new(TimeProvider.System);

    /// <summary>A test's own settings of the loops, made after the factory's.</summary>
    internal Action<NumaEventLoopGroupOptions>? ConfigureLoops { get; set; }
}
