using System.Numerics;
using System.Runtime.CompilerServices;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// The block sizes of the allocator: multiples of 16 to 128 bytes, then eight per doubling to 256 KiB. Sizes that are a multiple
/// of 4096 exist twice: coloured, and plain for requests with an alignment above a cache line.
/// </summary>
internal static class SizeClasses
{
    public const int Largest = 1 << LargestLog;
    public const int Granule = 16;

    /// <summary>The extra distance between coloured blocks: they are aligned to this, and to no more.</summary>
    public const int Colour = 64;

    /// <summary>The result of <see cref="CodeOf"/> for class 0.</summary>
    public const int CodeOfFirst = (FineLog - StepsLog) << StepsLog;

    /// <summary>All classes: first the results of <see cref="ClassOf"/>, then the plain ones.</summary>
    public static readonly int Count;

    // Blocks a multiple of 4096 bytes apart have their first lines in the same few sets of the first-level cache.
    private const int ColouredMultiple = 4096;

    private const int Ordinary = FineClasses + ((LargestLog - FineLog) << StepsLog);
    private const int LargestLog = 18;
    private const int FineClasses = 8;
    private const int FineLog = 7;
    private const int StepsLog = 3;

    private static readonly int[] s_sizes;

    static SizeClasses()
    {
        int[] ordinary = [.. Enumerable.Range(0, Ordinary).Select(OrdinarySizeOf)];
        s_sizes = [.. ordinary, .. ordinary.Where(static size => size % ColouredMultiple == 0)];
        Count = s_sizes.Length;
    }

    /// <summary>The class of a size from 1 to <see cref="Largest"/>.</summary>
    public static int ClassOf(nuint size) => (int)CodeOf(size) - CodeOfFirst;

    /// <summary>
    /// The class of a size from 1 to <see cref="Largest"/>, plus <see cref="CodeOfFirst"/>: without a branch; a caller that keeps
    /// a pointer to class 0 has subtracted the constant already.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static nuint CodeOf(nuint size)
    {
        var last = size - 1;
        var shift = 63 - StepsLog - BitOperations.LeadingZeroCount((ulong)(last | (1 << FineLog)));
        return (last >> shift) + ((nuint)(uint)shift << StepsLog);
    }

    /// <summary>The usable bytes of a block.</summary>
    public static int SizeOf(int sizeClass) => s_sizes[sizeClass];

    /// <summary>How far blocks of a class are apart.</summary>
    public static int StrideOf(int sizeClass) => IsColoured(sizeClass) ? SizeOf(sizeClass) + Colour : SizeOf(sizeClass);

    public static bool IsColoured(int sizeClass) => sizeClass < Ordinary && SizeOf(sizeClass) % ColouredMultiple == 0;

    /// <summary>A class of the same size with blocks side by side: each is aligned to what divides the size.</summary>
    public static int PlainOf(int sizeClass) =>
        IsColoured(sizeClass) ? Array.IndexOf(s_sizes, SizeOf(sizeClass), Ordinary) : sizeClass;

    /// <summary>
    /// The offset of the first block in a run: the next run's blocks take the colours that follow those of this one, as far as
    /// the space left over by the blocks of a run allows.
    /// </summary>
    public static int OffsetOf(int sizeClass, nint start, int runSize, int capacity)
    {
        if (!IsColoured(sizeClass))
        {
            return 0;
        }

        var left = runSize - (capacity * StrideOf(sizeClass));
        var colours = capacity * Colour;
        return (int)(start / runSize % (1 + (left / colours))) * colours;
    }

    private static int OrdinarySizeOf(int sizeClass)
    {
        if (sizeClass < FineClasses)
        {
            return (sizeClass + 1) * Granule;
        }

        var (doubling, step) = Math.DivRem(sizeClass - FineClasses, 1 << StepsLog);
        var log = FineLog + doubling;
        return (1 << log) + ((step + 1) << (log - StepsLog));
    }
}
