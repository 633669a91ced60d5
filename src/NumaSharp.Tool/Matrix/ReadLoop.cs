using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace NumaSharp.Tool.Matrix;

/// <summary>
/// Reads memory in order with the widest vectors of the machine. Four sums keep as many loads in flight as the core can; the
/// caller uses the result, so no load can be optimised away. Optimised at once: tiering does not change it during a run.
/// </summary>
internal static unsafe class ReadLoop
{
    /// <summary>Sizes are multiples of this.</summary>
    public const int Step = 256;

    /// <summary>The sum of all 64-bit words.</summary>
    public static ulong Sum(nint address, nuint size)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(size % Step, 0u);
        return Vector512.IsHardwareAccelerated ? Sum512((byte*)address, size)
            : Vector256.IsHardwareAccelerated ? Sum256((byte*)address, size)
            : Sum128((byte*)address, size);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal static ulong Sum512(byte* start, nuint size)
    {
        var (a, b, c, d) = (Vector512<ulong>.Zero, Vector512<ulong>.Zero, Vector512<ulong>.Zero, Vector512<ulong>.Zero);
        for (var end = start + size; start != end; start += Step)
        {
            a += Vector512.Load((ulong*)start);
            b += Vector512.Load((ulong*)(start + 64));
            c += Vector512.Load((ulong*)(start + 128));
            d += Vector512.Load((ulong*)(start + 192));
        }

        return Vector512.Sum(a + b + c + d);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal static ulong Sum256(byte* start, nuint size)
    {
        var (a, b, c, d) = (Vector256<ulong>.Zero, Vector256<ulong>.Zero, Vector256<ulong>.Zero, Vector256<ulong>.Zero);
        for (var end = start + size; start != end; start += Step / 2)
        {
            a += Vector256.Load((ulong*)start);
            b += Vector256.Load((ulong*)(start + 32));
            c += Vector256.Load((ulong*)(start + 64));
            d += Vector256.Load((ulong*)(start + 96));
        }

        return Vector256.Sum(a + b + c + d);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal static ulong Sum128(byte* start, nuint size)
    {
        var (a, b, c, d) = (Vector128<ulong>.Zero, Vector128<ulong>.Zero, Vector128<ulong>.Zero, Vector128<ulong>.Zero);
        for (var end = start + size; start != end; start += Step / 4)
        {
            a += Vector128.Load((ulong*)start);
            b += Vector128.Load((ulong*)(start + 16));
            c += Vector128.Load((ulong*)(start + 32));
            d += Vector128.Load((ulong*)(start + 48));
        }

        return Vector128.Sum(a + b + c + d);
    }
}
