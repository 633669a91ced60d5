namespace NumaSharp.Core;

/// <summary>
/// Collects what could not be done, so that it is said once (log, health check, page) and counted every time (meter).
/// Thread-safe.
/// </summary>
public sealed class NumaFallbacks
{
    private readonly Lock _lock = new();
    private readonly Dictionary<(string Feature, int? NodeId), NumaFallback> _seen = [];
    private NumaFallback[] _current = [];
    private long _count;

    /// <summary>Raised for the first fallback of a feature and node, on the thread that reported it.</summary>
    public event Action<NumaFallback>? Reported;

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

        Reported?.Invoke(fallback);
    }

    /// <summary>Takes back what was reported of a feature, because it no longer holds. What is counted stays counted.</summary>
    /// <param name="feature">The feature; a report of it that comes later is announced again.</param>
    public void Withdraw(string feature)
    {
        ArgumentException.ThrowIfNullOrEmpty(feature);
        lock (_lock)
        {
            var left = Array.FindAll(_current, fallback => fallback.Feature != feature);
            if (left.Length == _current.Length)
            {
                return;
            }

            foreach (var fallback in _current.Where(fallback => fallback.Feature == feature))
            {
                _seen.Remove((fallback.Feature, fallback.NodeId));
            }

            Volatile.Write(ref _current, left);
        }
    }
}
