using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Http;
using NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>The suites on our transport.</summary>
public static class NodeTransportTests
{
    public sealed class Requests(NodeFixture transport) : RequestSuite(transport), IClassFixture<NodeFixture>;

    public sealed class Bodies(NodeFixture transport) : BodySuite(transport), IClassFixture<NodeFixture>;

    public sealed class BackPressure(NodeFixture transport) : BackPressureSuite(transport), IClassFixture<NodeFixture>;

    public sealed class Departures(NodeFixture transport) : DepartureSuite(transport), IClassFixture<NodeFixture>;

    public sealed class WebSockets(NodeFixture transport) : WebSocketSuite(transport), IClassFixture<NodeFixture>;

    public sealed class Http2(NodeFixture transport) : Http2Suite(transport), IClassFixture<NodeFixture>;

    public sealed class Http2Endings(NodeFixture transport) : Http2EndingSuite(transport), IClassFixture<NodeFixture>;

    public sealed class Tls(NodeFixture transport) : TlsSuite(transport), IClassFixture<NodeFixture>;

    public sealed class Lifetime(NodeFixture transport) : LifetimeSuite(transport), IClassFixture<NodeFixture>;

    public sealed class Blocking(NodeFixture transport) : BlockingSuite(transport), IClassFixture<NodeFixture>;

    public sealed class Handlers(NodeFixture transport) : ConnectionHandlerSuite(transport), IClassFixture<NodeFixture>;

    public sealed class PipeReaders(NodeFixture transport) : PipeReaderSuite(transport), IClassFixture<NodeFixture>;

    public sealed class PipeWriters(NodeFixture transport) : PipeWriterSuite(transport), IClassFixture<NodeFixture>;

    public sealed class Connections(NodeFixture transport) : ConnectionSuite(transport), IClassFixture<NodeFixture>;

    public sealed class Listeners(NodeFixture transport) : ListenerSuite(transport), IClassFixture<NodeFixture>;

    public sealed class EndPoints(NodeFixture transport) : EndPointSuite(transport), IClassFixture<NodeFixture>;

    public sealed class ReadLimits(NodeFixture transport) : ReadLimitSuite(transport), IClassFixture<NodeFixture>;

    public sealed class Resets(NodeFixture transport) : ResetSuite(transport), IClassFixture<NodeFixture>;

    public sealed class UnreadData(NodeFixture transport) : UnreadDataSuite(transport), IClassFixture<NodeFixture>;

    public sealed class EndPointFeatures(NodeFixture transport) : EndPointFeatureSuite(transport), IClassFixture<NodeFixture>;

    [Collection(HeavyTests.Name)]
    public sealed class Heavy(NodeFixture transport) : HeavySuite(transport), IClassFixture<NodeFixture>;
}
