using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Http;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>The suites on our transport.</summary>
public static class ThreadPoolTransportTests
{
    public sealed class Requests(ThreadPoolFixture transport) : RequestSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Bodies(ThreadPoolFixture transport) : BodySuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class BackPressure(ThreadPoolFixture transport) : BackPressureSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Departures(ThreadPoolFixture transport) : DepartureSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class WebSockets(ThreadPoolFixture transport) : WebSocketSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Http2(ThreadPoolFixture transport) : Http2Suite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Tls(ThreadPoolFixture transport) : TlsSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Lifetime(ThreadPoolFixture transport) : LifetimeSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Blocking(ThreadPoolFixture transport) : BlockingSuite(transport), IClassFixture<ThreadPoolFixture>;

    [Collection(HeavyTests.Name)]
    public sealed class Heavy(ThreadPoolFixture transport) : HeavySuite(transport), IClassFixture<ThreadPoolFixture>;
}
