namespace NumaSharp.Transport.Epoll.Interop;

/// <summary>struct linger (socket(7), SO_LINGER).</summary>
internal struct Linger
{
    public int IsOn;
    public int Seconds;
}
