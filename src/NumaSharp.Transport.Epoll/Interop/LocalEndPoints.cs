using System.Net;

namespace NumaSharp.Transport.Epoll.Interop;

/// <summary>
/// The local addresses of connections that one listening socket has accepted: nearly always the same as the last one's, which
/// then shares its object, 72 bytes for TCP. Not thread-safe.
/// </summary>
/// <param name="family">An end point of the address family; it decodes.</param>
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
