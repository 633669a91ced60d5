using NumaSharp.Interop;

namespace NumaSharp.Udp.Batching;

/// <summary>The outcome of sends.</summary>
internal struct SendOutcome
{
    /// <summary>Datagrams accepted by the kernel.</summary>
    public long Datagrams;

    /// <summary>Their bytes.</summary>
    public long Bytes;

    /// <summary>Datagrams refused by the kernel.</summary>
    public long Refused;

    /// <summary>Pending errors of earlier datagrams, reported by a send.</summary>
    public long PeerErrors;
}

/// <summary>
/// Whether the kernel segments sent messages (UDP_SEGMENT, udp(7)). Once refused, the socket's datagrams are sent one by one from
/// then on. Thread-safe.
/// </summary>
/// <param name="isOn">Whether it is on at the start.</param>
/// <param name="refused">Called once, when it is turned off.</param>
internal sealed class SegmentationOffload(bool isOn, Action<SysResult> refused)
{
    private int _isOn = isOn ? 1 : 0;

    public bool IsOn => Volatile.Read(ref _isOn) != 0;

    public void TurnOff(SysResult reason)
    {
        if (Interlocked.Exchange(ref _isOn, 0) != 0)
        {
            refused(reason);
        }
    }
}
