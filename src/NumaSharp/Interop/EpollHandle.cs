using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

/// <summary>Owns an epoll instance (epoll(7)).</summary>
internal sealed unsafe class EpollHandle : FileDescriptorHandle
{
    private EpollHandle(int descriptor)
        : base(descriptor)
    {
    }

    public static SysResult Create(out EpollHandle? epoll)
    {
        var result = SysResult.FromReturn(Native.EpollCreate(Native.EPOLL_CLOEXEC));
        epoll = result.Succeeded ? new EpollHandle((int)result.Value) : null;
        return result;
    }

    public SysResult Add(SafeHandle descriptor, uint events, ulong data) =>
        Control(Native.EPOLL_CTL_ADD, descriptor, events, data);

    public SysResult Modify(SafeHandle descriptor, uint events, ulong data) =>
        Control(Native.EPOLL_CTL_MOD, descriptor, events, data);

    /// <summary>Takes a descriptor out of the set. Of an instance that was closed nothing is left to take out.</summary>
    public SysResult Remove(SafeHandle descriptor)
    {
        var added = false;
        try
        {
            DangerousAddRef(ref added);
        }
        catch (ObjectDisposedException)
        {
            return default;
        }

        try
        {
            return Control(Native.EPOLL_CTL_DEL, descriptor, 0, 0);
        }
        finally
        {
            DangerousRelease();
        }
    }

    /// <summary>Waits for events. A signal counts as no event, so that the caller looks at its queues.</summary>
    /// <param name="buffer">Receives the events.</param>
    /// <param name="timeoutMilliseconds">-1 for ever, 0 not at all.</param>
    public SysResult Wait(EpollEventBuffer buffer, int timeoutMilliseconds)
    {
        var result = SysResult.FromReturn(
            Native.EpollWait((int)handle, buffer.Pointer, buffer.Capacity, timeoutMilliseconds));
        return result.IsInterrupted ? default : result;
    }

    private SysResult Control(int operation, SafeHandle descriptor, uint events, ulong data)
    {
        var change = stackalloc byte[EpollEventBuffer.Stride];
        EpollEventBuffer.Write(change, events, data);
        var added = false;
        try
        {
            descriptor.DangerousAddRef(ref added);
            var fd = (int)descriptor.DangerousGetHandle();
            return SysResult.FromReturn(Native.EpollControl((int)handle, operation, fd, change));
        }
        finally
        {
            if (added)
            {
                descriptor.DangerousRelease();
            }
        }
    }
}
