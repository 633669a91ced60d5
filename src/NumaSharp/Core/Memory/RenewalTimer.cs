using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Core.Memory;

/// <summary>
/// After a change of nodes, asks for checks of the memory in use, less and less often, until none of it has old pages. Keeps its
/// owner alive no longer than an <see cref="IdleTrimmer"/> does. Thread-safe.
/// </summary>
/// <param name="look">Called for each check; kept alive by this.</param>
/// <param name="time">The clock.</param>
internal sealed class RenewalTimer(ITrimmable look, TimeProvider time) : IDisposable
{
    private static readonly TimeSpan s_first = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(64);

    private readonly Lock _lock = new();
    private IdleTrimmer? _timer;
    private TimeSpan _next;
    private bool _isDisposed;

    /// <summary>The nodes have changed, and free memory has been checked.</summary>
    /// <param name="isNeeded">Whether something in use has old pages.</param>
    public void Start(bool isNeeded)
    {
        lock (_lock)
        {
            _next = s_first;
            Set(isNeeded);
        }
    }

    /// <summary>Free memory has been checked once more.</summary>
    /// <param name="isNeeded">Whether something in use has old pages.</param>
    public void Continue(bool isNeeded)
    {
        lock (_lock)
        {
            _next = TimeSpan.FromTicks(Math.Min(2 * _next.Ticks, s_longest.Ticks));
            Set(isNeeded);
        }
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
            _timer?.Dispose();
        }
    }

    private void Set(bool isNeeded)
    {
        if (_isDisposed || (_timer is null && !isNeeded))
        {
            return;
        }

        try
        {
            _timer ??= new IdleTrimmer(look, TimeSpan.Zero, time);
            _timer.SetInterval(isNeeded ? _next : TimeSpan.Zero);
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            // No thread for a timer: memory that is returned keeps its old pages until the next change, or a trim.
        }
    }
}
