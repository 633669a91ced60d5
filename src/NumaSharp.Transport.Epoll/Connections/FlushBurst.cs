namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// Whether a connection's flushes come in bursts between two receives (HTTP/2): then each burst is worth waiting for. Every
/// flush counts, also one that somebody else's send takes with it: otherwise bursts that are sent as one would look like single
/// flushes, and many would begin with a packet that has a single response (0.27 sends more per receive).
/// </summary>
internal struct FlushBurst
{
    private const int Limit = 4;
    private const int Maximum = 16;

    // Of flushes since a receive, no more matter than this.
    private const int Several = 2;

    private int _weight;
    private int _flushes;

    public readonly bool IsExpected => _weight > Limit;

    /// <summary>Whether there was none for long, or ever.</summary>
    public readonly bool IsForgotten => _weight == 0;

    public void OnFlush()
    {
        if (_flushes < Several)
        {
            _flushes++;
        }

        if (_flushes == Several)
        {
            _weight = Math.Min(_weight + 2, Maximum);
        }
    }

    /// <summary>Bytes came from the client: a response that follows is not part of the burst before it.</summary>
    public void OnReceived()
    {
        if (_flushes < Several && _weight > 0)
        {
            _weight--;
        }

        _flushes = 0;
    }
}
