using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

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
