using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>How long a contest takes.</summary>
/// <param name="Rounds">Odd, so that one of them is the middle one.</param>
/// <param name="Run">Of each side in each round.</param>
internal sealed record ContestLengths(int Rounds, TimeSpan Run)
{
    public static ContestLengths Quick { get; } = new(Rounds: 7, TimeSpan.FromMilliseconds(60));

    public static ContestLengths Full { get; } = new(Rounds: 11, TimeSpan.FromMilliseconds(200));

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"the median of {Rounds} rounds in alternating order, of each side's {Run.TotalMilliseconds:N0} ms the fastest fifth");
}
