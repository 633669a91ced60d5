using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Udp;

/// <summary>Options of a factory of datagram sockets and of its event loops.</summary>
public sealed class NumaUdpSocketFactoryOptions
{
    /// <summary>
    /// How long a handler may block its loop before another thread of the node serves the loop's other sockets; zero: without
    /// limit. 100 microseconds to 10 seconds.
    /// </summary>
    /// <value>Default 1 millisecond.</value>
    public TimeSpan StallThreshold { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>
    /// The clock for checks of lost sockets and the spacing of datagrams; <see langword="null"/> for the system's.
    /// </summary>
    public TimeProvider? Time { get; set; }

    /// <summary>
    /// Pins the loops' threads, and binds the memory of pools that the factory creates; <see langword="null"/> for the machine's
    /// own (<see cref="NumaPlatform.Default"/>).
    /// </summary>
    public NumaPlatform? Platform { get; set; }

    /// <summary>Receives a fallback for each option that the kernel refuses; <see langword="null"/> for none.</summary>
    public NumaFallbacks? Fallbacks { get; set; }

    /// <summary>How long closing a socket waits for a running handler.</summary>
    internal TimeSpan EndLimit { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>A host's limit for that wait; none until a host sets it.</summary>
    internal StopLimit StopLimit { get; set; } = new(TimeProvider.System);

    /// <summary>A test's own loop settings, applied after the factory's.</summary>
    internal Action<NumaEventLoopGroupOptions>? ConfigureLoops { get; set; }

    /// <summary>Loops that components of a host share; <see langword="null"/> for the factory's own.</summary>
    internal SharedLoops? Loops { get; set; }

    internal NumaUdpSocketFactoryOptions Copy() => (NumaUdpSocketFactoryOptions)MemberwiseClone();

    internal NumaEventLoopGroupOptions CreateLoopOptions(NumaPlatform platform)
    {
        var options = new NumaEventLoopGroupOptions
        {
            StallThreshold = StallThreshold,
            Affinity = platform.Affinity,
            Fallbacks = Fallbacks,
            Time = Time,
            StopLimit = StopLimit,
        };
        ConfigureLoops?.Invoke(options);
        return options;
    }
}
