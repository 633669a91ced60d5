namespace NumaSharp.Core;

/// <summary>
/// Collects what could not be done, so that it is said once (log, health check, page) and counted every time (meter).
/// Thread-safe.
/// </summary>
public sealed class NumaFallbacks
{
    private readonly Lock _lock = new();
    private readonly Dictionary<(string Feature, int? NodeId), NumaFallback> _seen = [];
    private readonly Dictionary<(string Feature, int? NodeId), int> _claims = [];
    private NumaFallback[] _current = [];
    private long _count;

    /// <summary>
    /// Raised for the first fallback of a feature and node, on the thread that reported it. Pools and allocators raise it at the
    /// end of the call in which it happened, when they hold no lock: handlers may use them. What a handler throws, that call
    /// throws, and has given nothing out then.
    /// </summary>
    public event Action<NumaFallback>? Reported;

    /// <summary>
    /// Raised for each fallback that leaves <see cref="Current"/>, on the thread that found that it is over, when
    /// <see cref="Reported"/> would be.
    /// </summary>
    public event Action<NumaFallback>? Withdrawn;

    /// <summary>How often anything fell back, repeats included.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>The distinct fallbacks that hold, oldest first. A snapshot.</summary>
    public IReadOnlyList<NumaFallback> Current => Volatile.Read(ref _current);

    /// <summary>Counts the fallback, and announces it when it is the first of its feature and node.</summary>
    /// <param name="fallback">What fell back.</param>
    public void Report(NumaFallback fallback)
    {
        ArgumentNullException.ThrowIfNull(fallback);
        Interlocked.Increment(ref _count);
        lock (_lock)
        {
            if (!_seen.TryAdd((fallback.Feature, fallback.NodeId), fallback))
            {
                return;
            }

            Volatile.Write(ref _current, [.. _current, fallback]);
        }

        HeldAnnouncements.Announce(Reported, fallback);
    }

    /// <summary>
    /// Takes back what was reported of a feature, because it no longer holds, and announces that. What is counted stays counted.
    /// </summary>
    /// <param name="feature">The feature; a report of it that comes later is announced again.</param>
    public void Withdraw(string feature)
    {
        ArgumentException.ThrowIfNullOrEmpty(feature);
        NumaFallback[] over;
        lock (_lock)
        {
            over = Remove(fallback => fallback.Feature == feature);
        }

        Announce(over);
    }

    /// <summary>Reports for one of several owners that meet the same fallback of a node; each claims it once.</summary>
    internal void Claim(NumaFallback fallback)
    {
        lock (_lock)
        {
            var key = (fallback.Feature, fallback.NodeId);
            _claims[key] = _claims.GetValueOrDefault(key) + 1;
        }

        Report(fallback);
    }

    /// <summary>For an owner that has claimed it, it is over; it is taken back when that is so for all.</summary>
    internal void Disclaim(string feature, int nodeId)
    {
        NumaFallback[] over;
        lock (_lock)
        {
            var left = _claims[(feature, nodeId)] - 1;
            if (left > 0)
            {
                _claims[(feature, nodeId)] = left;
                return;
            }

            _claims.Remove((feature, nodeId));
            over = Remove(fallback => fallback.Feature == feature && fallback.NodeId == nodeId);
        }

        Announce(over);
    }

    private NumaFallback[] Remove(Predicate<NumaFallback> isOver)
    {
        var over = Array.FindAll(_current, isOver);
        if (over.Length == 0)
        {
            return over;
        }

        foreach (var fallback in over)
        {
            _seen.Remove((fallback.Feature, fallback.NodeId));
        }

        Volatile.Write(ref _current, Array.FindAll(_current, fallback => !isOver(fallback)));
        return over;
    }

    private void Announce(NumaFallback[] over)
    {
        foreach (var fallback in over)
        {
            HeldAnnouncements.Announce(Withdrawn, fallback);
        }
    }
}
