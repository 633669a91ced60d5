namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// The order of the sides in a round: forward, backward, forward... With two sides this is ABBA, so that a machine that
/// gets steadily slower or faster favours neither.
/// </summary>
internal static class Alternation
{
    public static IEnumerable<int> Order(int sides, int round)
    {
        for (var i = 0; i < sides; i++)
        {
            yield return round % 2 == 0 ? i : sides - 1 - i;
        }
    }

    /// <summary>Measures one side after the other, round by round.</summary>
    /// <returns>The samples of each side, a round each.</returns>
    public static async Task<IReadOnlyList<T>[]> MeasureAsync<T>(int sides, int rounds, Func<int, Task<T>> measure)
    {
        var samples = Enumerable.Range(0, sides).Select(_ => new T[rounds]).ToArray();
        for (var round = 0; round < rounds; round++)
        {
            foreach (var side in Order(sides, round))
            {
                samples[side][round] = await measure(side);
            }
        }

        return samples;
    }
}
