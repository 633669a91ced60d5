using System.Numerics;

namespace NumaSharp.Core.Memory;

/// <summary>The block sizes of the allocator: multiples of 16 to 128 bytes, then four per doubling to 256 KiB.</summary>
internal static class SizeClasses
{
    public const int Count = 52;
    public const int Largest = 256 * 1024;
    public const int Granule = 16;

    private const int FineClasses = 8;
    private const int FineLog = 7;

    public static int ClassOf(nuint size) => size <= FineClasses * Granule
        ? (int)((Math.Max(size, 1) + Granule - 1) / Granule) - 1
        : CoarseClassOf((uint)size - 1);

    public static int SizeOf(int sizeClass)
    {
        if (sizeClass < FineClasses)
        {
            return (sizeClass + 1) * Granule;
        }

        var (doubling, quarter) = Math.DivRem(sizeClass - FineClasses, 4);
        var log = FineLog + doubling;
        return (1 << log) + ((quarter + 1) << (log - 2));
    }

    private static int CoarseClassOf(uint last)
    {
        var log = BitOperations.Log2(last);
        var quarter = (int)(last >> (log - 2)) & 3;
        return FineClasses + ((log - FineLog) * 4) + quarter;
    }
}
