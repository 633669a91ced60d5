using System.Buffers;
using System.Runtime.InteropServices;
using NumaSharp.Core;

namespace NumaSharp.GuestProbe.Locality;

/// <summary>A block of some pool or heap.</summary>
/// <param name="Address">Where it is, and stays.</param>
/// <param name="Length">Bytes.</param>
/// <param name="Return">Gives it back, on any thread.</param>
internal sealed record Block(nint Address, int Length, Action Return)
{
    /// <summary>A managed block is pinned for as long as it is in use, as one that the kernel writes to.</summary>
    public static unsafe Block From(MemoryPool<byte> pool, int length)
    {
        var owner = pool.Rent(length);
        var pin = owner.Memory.Pin();
        return new Block((nint)pin.Pointer, length, () =>
        {
            pin.Dispose();
            owner.Dispose();
        });
    }

    public static unsafe Block From(NumaAllocator allocator, int length)
    {
        var address = (nint)allocator.Allocate((nuint)length);
        return new Block(address, length, () => allocator.Free((void*)address));
    }

    public static unsafe Block FromMalloc(int length)
    {
        var address = (nint)NativeMemory.Alloc((nuint)length);
        return new Block(address, length, () => NativeMemory.Free((void*)address));
    }

    public unsafe void Touch() => new Span<byte>((void*)Address, Length).Fill(1);
}
