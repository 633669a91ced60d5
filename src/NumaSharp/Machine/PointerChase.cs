using System.Runtime.CompilerServices;

namespace NumaSharp.Core;

/// <summary>
/// One cycle through the lines of a buffer in random order: each line holds the address of the next, so neither a prefetcher nor
/// a second load in flight can hide the latency of a read.
/// </summary>
internal static unsafe class PointerChase
{
    /// <summary>Step counts are multiples of this.</summary>
    public const int Unrolled = 8;

    private const int LineBytes = 64;

    // 16 million lines are 1 GiB of cache lines, more than any cache holds.
    private const long MaxLines = 16 * 1024 * 1024;

    /// <summary>Links the lines of a zeroed buffer.</summary>
    /// <returns>The number of lines in the cycle.</returns>
    public static int Link(nint address, nuint size)
    {
        var stride = (long)size / MaxLines / LineBytes * LineBytes;
        stride = Math.Max(stride, LineBytes);
        var lines = (int)Math.Min((long)size / stride, MaxLines);
        var order = new int[lines];
        for (var i = 0; i < lines; i++)
        {
            order[i] = i;
        }

        // Always the same order, so that runs differ only by machine.
        new Random(lines).Shuffle(order);
        for (var i = 0; i < lines; i++)
        {
            var next = order[i + 1 < lines ? i + 1 : 0];
            *(nint*)(address + (nint)(order[i] * stride)) = address + (nint)(next * stride);
        }

        return lines;
    }

    /// <summary>Follows the cycle.</summary>
    /// <returns>The final position: the caller must use it, or the loads could be optimised away.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static nint Follow(nint position, int steps)
    {
        for (; steps > 0; steps -= Unrolled)
        {
            position = *(nint*)position;
            position = *(nint*)position;
            position = *(nint*)position;
            position = *(nint*)position;
            position = *(nint*)position;
            position = *(nint*)position;
            position = *(nint*)position;
            position = *(nint*)position;
        }

        return position;
    }
}
