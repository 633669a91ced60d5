using NumaSharp.Core;
using NumaSharp.Core.Linux;
using NumaSharp.Core.Memory;

namespace NumaSharp.Hosting.Memory;

/// <summary>
/// Gives free memory of the pools and the allocator back to the system while tasks of this process's cgroup wait for memory: what
/// these keep may be what the others wait for. Looks once a second. Thread-safe.
/// </summary>
internal sealed class PressureTrimmer : ITimed, IDisposable
{
    // A service that reads files is at its limit all the time, and waits for nothing: the kernel drops other pages of files.
    private const double MostStalled = 0.1;
    private const double MostStalledAtALimit = 0.01;

    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);

    // A trim stops threads that rent for a moment, and they take memory again: the next one comes after twice the time.
    private static readonly TimeSpan s_shortestWait = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_longestWait = TimeSpan.FromMinutes(1);

    private readonly Func<MemoryPressure?> _read;
    private readonly IReadOnlyList<Func<long>> _trims;
    private readonly NumaFallbacks _fallbacks;
    private readonly TimeProvider _time;
    private readonly Action<string, long> _onShort;
    private readonly IntervalTimer _timer;
    private MemoryPressure _last;
    private long _lastLook;
    private TimeSpan _wait = s_shortestWait;
    private long? _lastPressure;
    private long? _lastTrim;
    private long _trimCount;
    private long _releasedBytes;

    /// <param name="read">The kernel's counts; <see langword="null"/> while they cannot be read.</param>
    /// <param name="trims">Each gives memory back, and says how many bytes.</param>
    /// <param name="time">Its timers run code of memory providers.</param>
    /// <param name="fallbacks">Receives their exceptions.</param>
    /// <param name="onShort">
    /// Called for the first trim while memory is short, with the reason and the bytes; must not block.
    /// </param>
    public PressureTrimmer(
        Func<MemoryPressure?> read,
        IReadOnlyList<Func<long>> trims,
        TimeProvider time,
        NumaFallbacks fallbacks,
        Action<string, long> onShort)
    {
        (_read, _trims, _time, _fallbacks, _onShort) = (read, trims, time, fallbacks, onShort);
        _timer = new IntervalTimer(this, TimeSpan.Zero, time, fallbacks);
    }

    /// <summary>How often it has given memory back.</summary>
    public long Trims => Volatile.Read(ref _trimCount);

    /// <summary>How much.</summary>
    public long ReleasedBytes => Volatile.Read(ref _releasedBytes);

    /// <summary>Starts to look, unless there is nothing to read. What was short before now does not count.</summary>
    public void Start()
    {
        if (_read() is { } counts)
        {
            (_last, _lastLook) = (counts, _time.GetTimestamp());
            _timer.SetInterval(s_interval);
        }
    }

    public void Dispose() => _timer.Dispose();

    // One at a time: the timer is set again after each.
    void ITimed.OnTick()
    {
        var now = _time.GetTimestamp();
        if (FindReason(now) is { } reason)
        {
            OnPressure(now, reason);
        }
    }

    private string? FindReason(long now)
    {
        var elapsed = _time.GetElapsedTime(_lastLook, now);
        if (_read() is not { } counts || elapsed <= TimeSpan.Zero)
        {
            return null;
        }

        var limits = counts.Limits - _last.Limits;
        var stalled = TimeSpan.FromMicroseconds(counts.StalledMicroseconds - _last.StalledMicroseconds);
        (_last, _lastLook) = (counts, now);
        return stalled < elapsed * (limits > 0 ? MostStalledAtALimit : MostStalled)
            ? null
            : $"tasks waited {stalled.TotalMilliseconds:0} ms for memory, and {limits} times at a limit of the cgroup";
    }

    private void OnPressure(long now, string reason)
    {
        var isNew = _lastPressure is not { } last || _time.GetElapsedTime(last, now) >= s_longestWait;
        _lastPressure = now;
        if (isNew)
        {
            _wait = s_shortestWait;
        }
        else if (_lastTrim is { } trimmed && _time.GetElapsedTime(trimmed, now) < _wait)
        {
            return;
        }
        else
        {
            _wait = _wait * 2 < s_longestWait ? _wait * 2 : s_longestWait;
        }

        _lastTrim = now;
        var bytes = _trims.Sum(Trim);
        Interlocked.Increment(ref _trimCount);
        Interlocked.Add(ref _releasedBytes, bytes);
        if (isNew)
        {
            _onShort(reason, bytes);
        }
    }

    private long Trim(Func<long> trim)
    {
        try
        {
            return trim();
        }
        catch (Exception exception)
        {
            // A memory provider's. Others can still give memory back.
            ProviderErrors.Report(_fallbacks, exception);
            return 0;
        }
    }
}
