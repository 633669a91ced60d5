using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Http;
using NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

namespace NumaSharp.Transport.Epoll.Tests.Sockets;

/// <summary>The suites on the oracle, so that what they ask for is what Kestrel's own transport does.</summary>
public static class SocketsTransportTests
{
    public sealed class Requests(SocketsFixture transport) : RequestSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class Bodies(SocketsFixture transport) : BodySuite(transport), IClassFixture<SocketsFixture>;

    public sealed class BackPressure(SocketsFixture transport) : BackPressureSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class Departures(SocketsFixture transport) : DepartureSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class WebSockets(SocketsFixture transport) : WebSocketSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class Http2(SocketsFixture transport) : Http2Suite(transport), IClassFixture<SocketsFixture>;

    public sealed class Http2Endings(SocketsFixture transport) : Http2EndingSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class Tls(SocketsFixture transport) : TlsSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class Lifetime(SocketsFixture transport) : LifetimeSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class Blocking(SocketsFixture transport) : BlockingSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class Handlers(SocketsFixture transport) : ConnectionHandlerSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class PipeReaders(SocketsFixture transport) : PipeReaderSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class PipeWriters(SocketsFixture transport) : PipeWriterSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class Connections(SocketsFixture transport) : ConnectionSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class Listeners(SocketsFixture transport) : ListenerSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class EndPoints(SocketsFixture transport) : EndPointSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class ReadLimits(SocketsFixture transport) : ReadLimitSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class Resets(SocketsFixture transport) : ResetSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class UnreadData(SocketsFixture transport) : UnreadDataSuite(transport), IClassFixture<SocketsFixture>;

    public sealed class ReadAhead(SocketsFixture transport) : ReadAheadSuite(transport), IClassFixture<SocketsFixture>;

    [Collection(HeavyTests.Name)]
    public sealed class Heavy(SocketsFixture transport) : HeavySuite(transport), IClassFixture<SocketsFixture>;
}
