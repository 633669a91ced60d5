using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Http;
using NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

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

    public sealed class Http2Endings(AdaptiveFixture transport) : Http2EndingSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class Tls(AdaptiveFixture transport) : TlsSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class Lifetime(AdaptiveFixture transport) : LifetimeSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class Blocking(AdaptiveFixture transport) : BlockingSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class Handlers(AdaptiveFixture transport) : ConnectionHandlerSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class PipeReaders(AdaptiveFixture transport) : PipeReaderSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class PipeWriters(AdaptiveFixture transport) : PipeWriterSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class Connections(AdaptiveFixture transport) : ConnectionSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class Listeners(AdaptiveFixture transport) : ListenerSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class EndPoints(AdaptiveFixture transport) : EndPointSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class ReadLimits(AdaptiveFixture transport) : ReadLimitSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class Resets(AdaptiveFixture transport) : ResetSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class UnreadData(AdaptiveFixture transport) : UnreadDataSuite(transport), IClassFixture<AdaptiveFixture>;

    public sealed class EndPointFeatures(AdaptiveFixture transport)
        : EndPointFeatureSuite(transport), IClassFixture<AdaptiveFixture>;

    [Collection(HeavyTests.Name)]
    public sealed class Heavy(AdaptiveFixture transport) : HeavySuite(transport), IClassFixture<AdaptiveFixture>;
}
