namespace NumaSharp.Interop;

/// <summary>Owns an eventfd(2), the doorbell of a sleeping loop.</summary>
internal sealed unsafe class EventFdHandle : FileDescriptorHandle
{
    internal EventFdHandle(int descriptor)
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
    /// <remarks>
    /// The loop may end while another thread posts: the reference keeps the write from reaching a descriptor that was closed and
    /// reused. After the end there is nothing to wake.
    /// </remarks>
    /// <returns>The error if nothing was added; success also when the eventfd is closed.</returns>
    public SysResult Signal()
    {
        var added = false;
        try
        {
            DangerousAddRef(ref added);
            ulong one = 1;
            SysResult result;
            do
            {
                result = SysResult.FromReturn(Native.Write(Number, &one, sizeof(ulong)));
            }
            while (result.IsInterrupted);
            return result;
        }
        catch (ObjectDisposedException) when (!added)
        {
            return default;
        }
        finally
        {
            if (added)
            {
                DangerousRelease();
            }
        }
    }
}
