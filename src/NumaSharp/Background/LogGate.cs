namespace NumaSharp.Logging;

/// <summary>Lets a persistent problem be logged once a minute, not every time.</summary>
internal struct LogGate
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMinutes(1);

    private long? _last;

    /// <summary>Whether to log it now.</summary>
    public bool TryPass()
    {
        if (_last is { } last && TimeProvider.System.GetElapsedTime(last) < s_interval)
        {
            return false;
        }

        _last = TimeProvider.System.GetTimestamp();
        return true;
    }
}
