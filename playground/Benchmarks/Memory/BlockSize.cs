using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>A size as rows name it: 64B, 4K.</summary>
internal static class BlockSize
{
    public const int Kilobyte = 1024;

    public static IReadOnlyList<int> All { get; } =
    [
        8, 16, 32, 64, 128, 256, 512, Kilobyte, 4 * Kilobyte, 16 * Kilobyte, 64 * Kilobyte, 256 * Kilobyte,
    ];

    public static string Label(int bytes) => bytes < Kilobyte
        ? string.Create(CultureInfo.InvariantCulture, $"{bytes}B")
        : string.Create(CultureInfo.InvariantCulture, $"{bytes / Kilobyte}K");
}
