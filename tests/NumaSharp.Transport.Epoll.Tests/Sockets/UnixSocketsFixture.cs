using System.Net;
using System.Net.Sockets;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Sockets;

/// <summary>The oracle over Unix sockets.</summary>
public sealed class UnixSocketsFixture : SocketsFixture
{
    public override bool HasReset => false;

    public override EndPoint NewEndPoint() => new UnixDomainSocketEndPoint(UnixPath.New());
}
