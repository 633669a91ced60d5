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
}
