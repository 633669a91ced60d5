namespace NumaSharp.Transport.Epoll.Dispatching;

/// <summary>
/// The hand-overs caused by one connection. Repeated hand-overs keep it off the loop for a while; after its return, the next one
/// is enough. Thread-safe; only connections that have caused a hand-over have a record.
/// </summary>
internal sealed class StallRecord(TimeProvider time)
{
    internal const int Limit = 5;

    internal static readonly TimeSpan Window = TimeSpan.FromSeconds(10);
    internal static readonly TimeSpan Stay = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new();
    private long _since = time.GetTimestamp();
    private int _handOvers;
    private bool _isDemoted;

    /// <summary>Whether the connection was moved off the loop for its hand-overs and has not returned yet.</summary>
    public bool IsDemoted
    {
        get
        {
            lock (_lock)
            {
                return _isDemoted;
            }
        }
    }

    /// <summary>Records a hand-over.</summary>
    /// <returns>Whether the connection leaves the loop now.</returns>
    public bool OnHandedOver()
    {
        lock (_lock)
        {
            if (_isDemoted)
            {
                // The late callback began before the connection was moved.
                return false;
            }

            if (time.GetElapsedTime(_since) >= Window)
            {
                Restart(handOvers: 0);
            }

            if (++_handOvers < Limit)
            {
                return false;
            }

            Restart(handOvers: Limit);
            return _isDemoted = true;
        }
    }

    /// <summary>Whether the connection, which was moved off the loop, returns now.</summary>
    public bool TryEndStay()
    {
        lock (_lock)
        {
            if (!_isDemoted || time.GetElapsedTime(_since) < Stay)
            {
                return false;
            }

            _isDemoted = false;
            Restart(handOvers: Limit - 1);
            return true;
        }
    }

    private void Restart(int handOvers)
    {
        _since = time.GetTimestamp();
        _handOvers = handOvers;
    }
}
