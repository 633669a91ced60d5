namespace NumaSharp.TestKit;

/// <summary>Counts what the calling thread allocates.</summary>
public static class Allocations
{
    /// <summary>
    /// By which CI finds the tests that count, to run them in Release, too: a test without it has not been looked at there.
    /// </summary>
    private const string TraitName = "kind";

    private const string TraitValue = "allocation";

    /// <summary>
    /// The least that a run of the operation, which should allocate nothing, allocated in several attempts. A collection that
    /// other tests cause in the middle of an attempt gives the thread's unused allocation buffer up, which counts as up to 8 KiB;
    /// what the operation itself allocates is there in every attempt. Only for a test with the trait <c>kind=allocation</c>.
    /// </summary>
    public static long OfSteadyState(Action operation, int count = 20_000, int warmUp = 1_000) =>
        LeastOf(operation, count, warmUp, new AllocationAttempts());

    /// <summary>As <see cref="OfSteadyState"/>, of an operation that allocates, in some attempts.</summary>
    public static long OfAllocating(Action operation, int count = 1, int warmUp = 1) =>
        LeastOf(operation, count, warmUp, new AllocationAttempts(patience: TimeSpan.Zero));

    internal static void RequireTrait()
    {
        var traits = TestContext.Current.Test?.Traits;
        Assert.True(
            traits?.TryGetValue(TraitName, out var values) == true && values.Contains(TraitValue),
            $"A test of allocations has [Trait(\"{TraitName}\", \"{TraitValue}\")].");
    }

    private static long LeastOf(Action operation, int count, int warmUp, AllocationAttempts attempts)
    {
        Run(operation, warmUp);
        while (!attempts.AreOver)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            Run(operation, count);
            attempts.Add(GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return attempts.Least;
    }

    private static void Run(Action operation, int count)
    {
        for (var i = 0; i < count; i++)
        {
            operation();
        }
    }
}
