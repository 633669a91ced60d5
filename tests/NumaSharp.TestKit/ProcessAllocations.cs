using System.Diagnostics;

namespace NumaSharp.TestKit;

/// <summary>
/// Counts what the whole process allocates in windows of some rounds, for work that ends on threads of its own. What a round
/// allocates is there in every window. The test host and its timers allocate now and then, which is in every window, too, once a
/// busy machine makes windows long; those get fewer rounds. Only for a test with the trait <c>kind=allocation</c>.
/// </summary>
public sealed class ProcessAllocations
{
    private const int MostRounds = 500;
    private const int FewestRounds = 8;
    private const int MostWindows = 50;

    private static readonly TimeSpan s_long = TimeSpan.FromMilliseconds(100);

    private int _windows;
    private long _start;
    private long _before;

    public ProcessAllocations() => Allocations.RequireTrait();

    /// <summary>How many rounds the window has that has begun.</summary>
    public int Rounds { get; private set; } = MostRounds;

    /// <summary>The bytes of the window with the fewest.</summary>
    public long Least { get; private set; } = long.MaxValue;

    /// <summary>Begins a window, which <see cref="End"/> follows after its rounds.</summary>
    /// <returns>False if no other is needed: one was without allocations, or there were enough.</returns>
    public bool Begin()
    {
        if (Least == 0 || _windows == MostWindows)
        {
            return false;
        }

        _windows++;
        _start = Stopwatch.GetTimestamp();
        _before = GC.GetTotalAllocatedBytes(precise: true);
        return true;
    }

    public void End()
    {
        Least = Math.Min(Least, GC.GetTotalAllocatedBytes(precise: true) - _before);
        Rounds = Stopwatch.GetElapsedTime(_start) > s_long
            ? Math.Max(Rounds / 2, FewestRounds)
            : Math.Min(Rounds * 2, MostRounds);
    }
}
