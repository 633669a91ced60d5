using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Http;
using NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>The suites on our transport, but for the one in which handlers block: Inline promises nothing there.</summary>
public static class InlineTransportTests
{
    public sealed class Requests(InlineFixture transport) : RequestSuite(transport), IClassFixture<InlineFixture>;

    public sealed class Bodies(InlineFixture transport) : BodySuite(transport), IClassFixture<InlineFixture>;

    public sealed class BackPressure(InlineFixture transport) : BackPressureSuite(transport), IClassFixture<InlineFixture>;

    public sealed class Departures(InlineFixture transport) : DepartureSuite(transport), IClassFixture<InlineFixture>;

    public sealed class WebSockets(InlineFixture transport) : WebSocketSuite(transport), IClassFixture<InlineFixture>;

    public sealed class Http2(InlineFixture transport) : Http2Suite(transport), IClassFixture<InlineFixture>;

    public sealed class Http2Endings(InlineFixture transport) : Http2EndingSuite(transport), IClassFixture<InlineFixture>;

    public sealed class Tls(InlineFixture transport) : TlsSuite(transport), IClassFixture<InlineFixture>;

    public sealed class Lifetime(InlineFixture transport) : LifetimeSuite(transport), IClassFixture<InlineFixture>;

    public sealed class Handlers(InlineFixture transport) : ConnectionHandlerSuite(transport), IClassFixture<InlineFixture>;

    public sealed class PipeReaders(InlineFixture transport) : PipeReaderSuite(transport), IClassFixture<InlineFixture>;

    public sealed class PipeWriters(InlineFixture transport) : PipeWriterSuite(transport), IClassFixture<InlineFixture>;

    public sealed class Connections(InlineFixture transport) : ConnectionSuite(transport), IClassFixture<InlineFixture>;

    public sealed class Listeners(InlineFixture transport) : ListenerSuite(transport), IClassFixture<InlineFixture>;

    public sealed class EndPoints(InlineFixture transport) : EndPointSuite(transport), IClassFixture<InlineFixture>;

    public sealed class ReadLimits(InlineFixture transport) : ReadLimitSuite(transport), IClassFixture<InlineFixture>;

    public sealed class Resets(InlineFixture transport) : ResetSuite(transport), IClassFixture<InlineFixture>;

    public sealed class UnreadData(InlineFixture transport) : UnreadDataSuite(transport), IClassFixture<InlineFixture>;

    public sealed class EndPointFeatures(InlineFixture transport)
        : EndPointFeatureSuite(transport), IClassFixture<InlineFixture>;

    [Collection(HeavyTests.Name)]
    public sealed class Heavy(InlineFixture transport) : HeavySuite(transport), IClassFixture<InlineFixture>;
}
