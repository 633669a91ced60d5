namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>
/// Sizes as programs have them: 16 to 512 bytes, half of them below 78, and every 64th on average a page. The same in every
/// process.
/// </summary>
internal static class MixedSizes
{
    private const int Smallest = 16;
    private const int Largest = 512;
    private const int Page = 4096;
    private const uint PageShare = 64;

    /// <summary>The size that a random number stands for.</summary>
    public static int Of(uint random)
    {
        if (random % PageShare == 0)
        {
            return Page;
        }

        var share = (random >> 8) / (double)(1 << 24);
        return Smallest + (int)((Largest - Smallest) * share * share * share);
    }
}
