using System.Diagnostics;

namespace NumaSharp.TestKit;

/// <summary>
/// Attempts to count what code allocates, of which the one with the least counts. Code that is not compiled for good yet
/// allocates more, and the compiler gets to it in the background: on a slow machine that takes more attempts than any number
/// chosen on a fast one. So there is another one until one has allocated no more than it may, for as long as a wait may take.
/// Only for a test with the trait <c>kind=allocation</c>.
/// </summary>
public sealed class AllocationAttempts
{
    private const int Fewest = 10;

    private readonly int _fewest;
    private readonly long _enough;
    private readonly TimeSpan _patience;
    private readonly long _start = Stopwatch.GetTimestamp();
    private int _count;

    /// <param name="fewest">At least so many, unless one has allocated no more than it may.</param>
    /// <param name="enough">What an attempt may allocate.</param>
    /// <param name="patience">
    /// No attempt begins later than that, but for the fewest; by default the limit of a wait. Zero for code that allocates.
    /// </param>
    public AllocationAttempts(int fewest = Fewest, long enough = 0, TimeSpan? patience = null)
    {
        Allocations.RequireTrait();
        _fewest = fewest;
        _enough = enough;
        _patience = patience ?? Wait.Limit;
    }

    /// <summary>The bytes of the attempt with the fewest.</summary>
    public long Least { get; private set; } = long.MaxValue;

    /// <summary>Whether no other attempt is needed, or there were enough.</summary>
    public bool AreOver => Least <= _enough || (_count >= _fewest && Stopwatch.GetElapsedTime(_start) > _patience);

    /// <summary>Ends an attempt.</summary>
    /// <param name="bytes">What it has allocated.</param>
    public void Add(long bytes)
    {
        _count++;
        Least = Math.Min(Least, bytes);
    }
}
