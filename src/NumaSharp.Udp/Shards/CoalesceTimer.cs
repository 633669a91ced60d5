using NumaSharp.Interop;

namespace NumaSharp.Udp.Interop;

/// <summary>Owns a timer that expires as an event on a loop (timerfd_create(2)); watched edge-triggered, never read.</summary>
internal sealed unsafe class CoalesceTimer : FileDescriptorHandle
{
    private CoalesceTimer(int descriptor)
        : base(descriptor)
    {
    }

    public static SysResult Create(out CoalesceTimer? timer)
    {
        var result = SysResult.FromReturn(
            UdpCalls.CreateTimer(UdpCalls.CLOCK_MONOTONIC, UdpCalls.TFD_NONBLOCK | UdpCalls.TFD_CLOEXEC));
        timer = result.Succeeded ? new CoalesceTimer((int)result.Value) : null;
        return result;
    }

    /// <summary>Fires once, after a delay. A periodic timer would have to be read each time.</summary>
    public SysResult FireAfter(TimeSpan delay)
    {
        var value = new UdpCalls.TimerSpecification
        {
            FirstSeconds = delay.Ticks / TimeSpan.TicksPerSecond,
            FirstNanoseconds = delay.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick,
        };
        return SysResult.FromReturn(UdpCalls.SetTimer(Number, 0, &value, previous: null));
    }
}
