namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>Marsaglia's 32-bit generator: the same numbers on every side, for a cycle or two each.</summary>
internal static class Xorshift
{
    /// <summary>Any start but 0.</summary>
    public const uint Seed = 2463534242;

    public static uint Next(uint state)
    {
        state ^= state << 13;
        state ^= state >> 17;
        return state ^ (state << 5);
    }
}
