namespace NumaSharp.TestKit;

/// <summary>Counts what the calling thread allocates.</summary>
public static class Allocations
{
    private const int Attempts = 10;

    /// <summary>
    /// The least that a run of the operation allocated in several attempts. A collection that other tests cause in the middle
    /// of an attempt gives the thread's unused allocation buffer up, which counts as up to 8 KiB; what the operation itself
    /// allocates is there in every attempt.
    /// </summary>
    public static long OfSteadyState(Action operation, int count = 20_000, int warmUp = 1_000)
    {
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

    private static void Run(Action operation, int count)
    {
        for (var i = 0; i < count; i++)
        {
            operation();
        }
    }
}
