using System.Diagnostics;

namespace NumaSharp.TestKit;

/// <summary>
/// Counts what is allocated in windows of some rounds, for work that ends on threads of its own. What a round allocates is there
/// in every window. The test host, timers and collections come now and then, which is in every window, too, once a slow or busy
/// machine makes windows long; those get fewer rounds. Only for a test with the trait <c>kind=allocation</c>.
/// </summary>
public sealed class AllocationWindows
{
    private const int MostRounds = 500;
    private const int FewestRounds = 8;
    private const int FewestWindows = 50;

    private static readonly TimeSpan s_long = TimeSpan.FromMilliseconds(100);

    private readonly bool _isOfThread;
    private readonly AllocationAttempts _windows;
    private long _start;
    private long _before;
    private int _thread;

    private AllocationWindows(bool isOfThread, TimeSpan? patience)
    {
        _isOfThread = isOfThread;
        _windows = new AllocationAttempts(FewestWindows, patience: patience);
    }

    /// <summary>How many rounds the window has that has begun.</summary>
    public int Rounds { get; private set; } = MostRounds;

    /// <summary>The bytes of the window with the fewest.</summary>
    public long Least => _windows.Least;

    /// <summary>What all threads allocate.</summary>
    /// <param name="patience">As that of <see cref="AllocationAttempts"/>.</param>
    public static AllocationWindows OfProcess(TimeSpan? patience = null) =>
        new(isOfThread: false, patience);

    /// <summary>What a window's thread allocates. A window that ends on another thread than it began on says nothing.</summary>
    public static AllocationWindows OfThread() => new(isOfThread: true, patience: null);

    /// <summary>Begins a window, which <see cref="End"/> follows after its rounds.</summary>
    /// <returns>False if no other is needed: one was without allocations, or there were enough.</returns>
    public bool Begin()
    {
        if (_windows.AreOver)
        {
            return false;
        }

        _start = Stopwatch.GetTimestamp();
        (_thread, _before) = (Environment.CurrentManagedThreadId, Count());
        return true;
    }

    public void End()
    {
        var isWhole = !_isOfThread || _thread == Environment.CurrentManagedThreadId;
        _windows.Add(isWhole ? Count() - _before : long.MaxValue);
        Rounds = Stopwatch.GetElapsedTime(_start) > s_long
            ? Math.Max(Rounds / 2, FewestRounds)
            : Math.Min(Rounds * 2, MostRounds);
    }

    private long Count() =>
        _isOfThread ? GC.GetAllocatedBytesForCurrentThread() : GC.GetTotalAllocatedBytes(precise: true);
}
