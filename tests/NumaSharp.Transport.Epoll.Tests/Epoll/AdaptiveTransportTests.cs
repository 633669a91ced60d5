using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Http;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>The suites on our transport.</summary>
public static class AdaptiveTransportTests
{
    public sealed class Requests(AdaptiveFixture transport) : RequestSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class Bodies(AdaptiveFixture transport) : BodySuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class BackPressure(AdaptiveFixture transport) : BackPressureSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class Departures(AdaptiveFixture transport) : DepartureSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class WebSockets(AdaptiveFixture transport) : WebSocketSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class Http2(AdaptiveFixture transport) : Http2Suite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class Tls(AdaptiveFixture transport) : TlsSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class Lifetime(AdaptiveFixture transport) : LifetimeSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class Blocking(AdaptiveFixture transport) : BlockingSuite(transport), IClassFixture<AdaptiveFixture>;

    [Collection(HeavyTests.Name)]
    public sealed class Heavy(AdaptiveFixture transport) : HeavySuite(transport), IClassFixture<AdaptiveFixture>;
}
