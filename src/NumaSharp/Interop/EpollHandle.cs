using System.Runtime.CompilerServices;
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

    /// <summary>Removes a descriptor from the set; does nothing if the instance is closed.</summary>
    public SysResult Remove(SafeHandle descriptor) =>
        IsClosed ? default : Control(Native.EPOLL_CTL_DEL, descriptor, 0, 0);

    /// <summary>
    /// Whether a descriptor is in the set. False if the number of the instance or of the member now belongs to other code:
    /// neither may then be closed. Ask before opening anything else, which could get the number.
    /// </summary>
    public bool Has(SafeHandle member, uint events, ulong data) => Modify(member, events, data).Succeeded;

    /// <summary>Waits for events. A signal counts as no event, so that the caller checks its queues.</summary>
    /// <param name="buffer">Receives the events.</param>
    /// <param name="timeoutMilliseconds">-1 forever, 0 not at all.</param>
    public SysResult Wait(EpollEventBuffer buffer, int timeoutMilliseconds)
    {
        var result = SysResult.FromReturn(Native.EpollWait(Number, buffer.Pointer, buffer.Capacity, timeoutMilliseconds));
        return result.IsInterrupted ? default : result;
    }

    /// <summary>Sets how waits poll the network device before they sleep (ioctl_eventpoll(2), Linux 6.9).</summary>
    public SysResult SetParameters(EpollParameters parameters) =>
        SysResult.FromReturn(Native.DeviceControl(Number, Native.EPIOCSPARAMS, &parameters));

    private SysResult Control(int operation, SafeHandle descriptor, uint events, ulong data)
    {
        var change = stackalloc byte[EpollEventBuffer.Stride];
        EpollEventBuffer.Write(change, events, data);
        var (isHeld, added) = (false, false);
        try
        {
            // The loop may end while another thread registers: the references keep both numbers from being reused.
            DangerousAddRef(ref isHeld);
            descriptor.DangerousAddRef(ref added);
            var fd = (int)descriptor.DangerousGetHandle();
            return SysResult.FromReturn(Native.EpollControl(Number, operation, fd, change));
        }
        catch (ObjectDisposedException)
        {
            return SysResult.FromErrno(Errno.EBADF);
        }
        finally
        {
            if (added)
            {
                descriptor.DangerousRelease();
            }

            if (isHeld)
            {
                DangerousRelease();
            }
        }
    }
}

/// <summary>
/// An array of struct epoll_event in native memory. The struct is packed to 12 bytes on x64 and has its natural 16 bytes on
/// every other architecture (EPOLL_PACKED in include/uapi/linux/eventpoll.h).
/// </summary>
internal sealed unsafe class EpollEventBuffer : IDisposable
{
    private static readonly bool s_packed = RuntimeInformation.ProcessArchitecture == Architecture.X64;

    private byte* _events;

    public EpollEventBuffer(int capacity)
    {
        Capacity = capacity;
        _events = (byte*)NativeMemory.AllocZeroed((nuint)capacity, (nuint)Stride);
    }

    public static int Stride => s_packed ? 12 : 16;

    public static int DataOffset => s_packed ? 4 : 8;

    public int Capacity { get; }

    public void* Pointer => _events;

    public static void Write(byte* target, uint events, ulong data)
    {
        Unsafe.WriteUnaligned(target, events);
        Unsafe.WriteUnaligned(target + DataOffset, data);
    }

    public void Read(int index, out uint events, out ulong data)
    {
        var source = _events + (index * Stride);
        events = Unsafe.ReadUnaligned<uint>(source);
        data = Unsafe.ReadUnaligned<ulong>(source + DataOffset);
    }

    public void Dispose()
    {
        NativeMemory.Free(_events);
        _events = null;
    }
}
