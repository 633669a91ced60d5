namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>The usual test of fork and join: 46367 forks that do next to nothing, and a result that shows that all ran.</summary>
internal static class Fibonacci
{
    public const int Of = 24;

    private const int Expected = 46368;

    public static void Check(int result)
    {
        if (result != Expected)
        {
            throw new BenchmarkException($"fib({Of}) is {Expected} and not {result}: work was lost or ran twice");
        }
    }
}
