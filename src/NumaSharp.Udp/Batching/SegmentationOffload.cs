using NumaSharp.Interop;

namespace NumaSharp.Udp.Batching;

/// <summary>
/// Whether the kernel cuts what is sent (UDP_SEGMENT, udp(7)). Once it was refused, datagrams of that socket are sent one by one
/// for good. Thread-safe.
/// </summary>
/// <param name="isOn">Whether to begin with it.</param>
/// <param name="refused">Told once, when it is turned off.</param>
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
