namespace NumaSharp.Interop;

/// <summary>Owns an eventfd(2), the doorbell of a sleeping loop.</summary>
internal sealed unsafe class EventFdHandle : FileDescriptorHandle
{
    private EventFdHandle(int descriptor)
        : base(descriptor)
    {
    }

    public static SysResult Create(out EventFdHandle? eventFd)
    {
        var result = SysResult.FromReturn(Native.EventFd(0, Native.EFD_CLOEXEC | Native.EFD_NONBLOCK));
        eventFd = result.Succeeded ? new EventFdHandle((int)result.Value) : null;
        return result;
    }

    /// <summary>Adds one to the counter. Watched edge-triggered it need not be read: every write is an edge.</summary>
    public void Signal()
    {
        ulong one = 1;
        SysResult result;
        do
        {
            result = SysResult.FromReturn(Native.Write((int)handle, &one, sizeof(ulong)));
        }
        while (result.IsInterrupted);
    }
}
