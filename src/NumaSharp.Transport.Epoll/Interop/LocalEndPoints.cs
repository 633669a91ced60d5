using System.Net;

namespace NumaSharp.Transport.Epoll.Interop;

/// <summary>
/// The local addresses of connections accepted by one listening socket: nearly always equal to the previous one; the object, 72
/// bytes for TCP, is then shared. Not thread-safe.
/// </summary>
/// <param name="family">An end point of the address family, used for decoding.</param>
internal sealed class LocalEndPoints(EndPoint family)
{
    private byte[] _bytes = [];
    private EndPoint? _last;

    public EndPoint Decode(ReadOnlySpan<byte> bytes)
    {
        if (_last is null || !bytes.SequenceEqual(_bytes))
        {
            _last = StreamSocket.Decode(family, bytes);
            _bytes = bytes.ToArray();
        }

        return _last;
    }
}
