namespace NumaSharp.Core;

/// <summary>
/// A sequence of numbers for choices that must not fall into step with others (Numerical Recipes, 7.1.4): one multiplication, no
/// state but the last number. The upper bits are the good ones.
/// </summary>
internal static class LinearCongruential
{
    /// <summary>The number after another one.</summary>
    public static uint Next(uint last) => (last * 1664525) + 1013904223;
}
