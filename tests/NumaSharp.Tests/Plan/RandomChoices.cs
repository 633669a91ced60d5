namespace NumaSharp.Tests.Core.Planning;

/// <summary>Random numbers that FsCheck chose, one after the other.</summary>
internal sealed class RandomChoices(int[] throws)
{
    private int _next;

    public int Below(int bound) => throws[_next++ % throws.Length] % bound;

    public bool OneIn(int count) => Below(count) == 0;

    public T Of<T>(params T[] choices) => choices[Below(choices.Length)];
}
