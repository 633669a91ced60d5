namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// Whether a connection's flushes come in bursts between two receives (HTTP/2): then each burst is worth waiting for. Every flush
/// counts, including those that a pending send will carry: otherwise bursts sent as one would look like single flushes, and many
/// would start with a packet holding one response (0.27 more sends per receive).
/// </summary>
internal struct FlushBurst
{
    private const int Limit = 4;
    private const int Maximum = 16;

    // More flushes than this between two receives make no difference.
    private const int Several = 2;

    private int _weight;
    private int _flushes;

    public readonly bool IsExpected => _weight > Limit;

    /// <summary>Whether there has been no burst for a long time, or ever.</summary>
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

    /// <summary>Bytes came from the client: a response that follows does not belong to the burst before it.</summary>
    public void OnReceived()
    {
        if (_flushes < Several && _weight > 0)
        {
            _weight--;
        }

        _flushes = 0;
    }
}
