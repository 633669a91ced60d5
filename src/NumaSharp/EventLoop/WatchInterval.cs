namespace NumaSharp.EventLoop;

/// <summary>
/// How long the watchdog sleeps between two samples. While nothing is suspicious, so long that watching costs little: every
/// sample interrupts somebody who has only one CPU (15 microseconds in a virtual machine, a few elsewhere, and what the caches
/// lose). Close, when a callback was found twice, and for a while after one was late: others of its kind may follow.
/// </summary>
internal sealed class WatchInterval
{
    internal const int SamplesPerCost = 256;
    internal const int SamplesOfAlarm = 1024;
    internal const int SamplesUntilPeace = 4096;

    // Of one CPU. Longer than twice the threshold no callback is let alone for it, or than eight times where none was late for
    // long (some 8 seconds): that is what a timer of a slow virtual machine needs.
    private const double CpuShare = 0.005;

    private readonly TimeSpan _longest;
    private readonly TimeSpan _longestInPeace;
    private TimeSpan _calm;
    private int _samples;
    private int _alarm;
    private int _peace;

    public WatchInterval(TimeSpan stallThreshold)
    {
        Close = stallThreshold / 2;
        _calm = Close;
        _longest = stallThreshold * 2;
        _longestInPeace = stallThreshold * 8;
    }

    /// <summary>Between the samples that tell whether a callback is late.</summary>
    public TimeSpan Close { get; }

    /// <summary>Whether the cost of the samples since the last time is due.</summary>
    public bool IsCostDue => _samples >= SamplesPerCost;

    /// <summary>What the samples since the last time, or since the start, have cost.</summary>
    public void OnCost(TimeSpan cpuTime)
    {
        var calm = cpuTime / _samples / CpuShare;
        var longest = _peace >= SamplesUntilPeace ? _longestInPeace : _longest;
        _calm = TimeSpan.FromTicks(Math.Clamp(calm.Ticks, Close.Ticks, longest.Ticks));
        _samples = 0;
    }

    /// <summary>A loop was handed over.</summary>
    public void OnHandOver()
    {
        _alarm = SamplesOfAlarm;
        _peace = 0;
        _calm = _calm > _longest ? _longest : _calm;
    }

    /// <summary>Notes a sample.</summary>
    /// <param name="isSuspicious">Whether it found a callback that the one before it had found.</param>
    /// <returns>How long to sleep until the next.</returns>
    public TimeSpan Next(bool isSuspicious)
    {
        _samples++;
        _peace = Math.Min(_peace + 1, SamplesUntilPeace);
        if (_alarm > 0)
        {
            _alarm--;
            return Close;
        }

        return isSuspicious ? Close : _calm;
    }
}
