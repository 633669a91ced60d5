using System.Net;
using System.Net.Sockets;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>Our transport over Unix sockets.</summary>
public sealed class UnixAdaptiveFixture() : EpollFixture(EpollDispatchMode.Adaptive)
{
    public override bool HasReset => false;

    public override EndPoint NewEndPoint() => new UnixDomainSocketEndPoint(UnixPath.New());
}
