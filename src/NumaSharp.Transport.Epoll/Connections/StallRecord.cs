namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// The hand-overs that one connection has caused. One that causes them again and again is kept off the loop for a while; when it
/// comes back, the next hand-over is enough. Thread-safe; only connections that have caused a hand-over have one.
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

    /// <summary>Whether the connection has left the loop for its hand-overs, and its stay is not over.</summary>
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

    /// <summary>Notes a hand-over.</summary>
    /// <returns>Whether the connection leaves the loop now.</returns>
    public bool OnHandedOver()
    {
        lock (_lock)
        {
            if (_isDemoted)
            {
                // The callback was late when it was decided.
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

    /// <summary>Whether the connection, which has left the loop, comes back now.</summary>
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
