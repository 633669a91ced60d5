namespace NumaSharp.TestKit;

/// <summary>Counts what the calling thread allocates.</summary>
public static class Allocations
{
    private const int Attempts = 10;

    /// <summary>
    /// By which CI finds the tests that count, to run them in Release, too: a test without it has not been looked at there.
    /// </summary>
    private const string TraitName = "kind";

    private const string TraitValue = "allocation";

    /// <summary>
    /// The least that a run of the operation allocated in several attempts. A collection that other tests cause in the middle
    /// of an attempt gives the thread's unused allocation buffer up, which counts as up to 8 KiB; what the operation itself
    /// allocates is there in every attempt. Only for a test with the trait <c>kind=allocation</c>.
    /// </summary>
    public static long OfSteadyState(Action operation, int count = 20_000, int warmUp = 1_000)
    {
        RequireTrait();
        Run(operation, warmUp);
        var least = long.MaxValue;
        for (var i = 0; i < Attempts && least > 0; i++)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            Run(operation, count);
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }

    internal static void RequireTrait()
    {
        var traits = TestContext.Current.Test?.Traits;
        Assert.True(
            traits?.TryGetValue(TraitName, out var values) == true && values.Contains(TraitValue),
            $"A test of allocations has [Trait(\"{TraitName}\", \"{TraitValue}\")].");
    }

    private static void Run(Action operation, int count)
    {
        for (var i = 0; i < count; i++)
        {
            operation();
        }
    }
}
