using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Http;
using NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>The suites on our transport.</summary>
public static class ThreadPoolTransportTests
{
    public sealed class Requests(ThreadPoolFixture transport) : RequestSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Bodies(ThreadPoolFixture transport) : BodySuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class BackPressure(ThreadPoolFixture transport)
        : BackPressureSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Departures(ThreadPoolFixture transport) : DepartureSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class WebSockets(ThreadPoolFixture transport) : WebSocketSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Http2(ThreadPoolFixture transport) : Http2Suite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Http2Endings(ThreadPoolFixture transport)
        : Http2EndingSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Tls(ThreadPoolFixture transport) : TlsSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Lifetime(ThreadPoolFixture transport) : LifetimeSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Blocking(ThreadPoolFixture transport) : BlockingSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Handlers(ThreadPoolFixture transport)
        : ConnectionHandlerSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class PipeReaders(ThreadPoolFixture transport) : PipeReaderSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class PipeWriters(ThreadPoolFixture transport) : PipeWriterSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Connections(ThreadPoolFixture transport) : ConnectionSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Listeners(ThreadPoolFixture transport) : ListenerSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class EndPoints(ThreadPoolFixture transport) : EndPointSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class ReadLimits(ThreadPoolFixture transport) : ReadLimitSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class Resets(ThreadPoolFixture transport) : ResetSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class UnreadData(ThreadPoolFixture transport) : UnreadDataSuite(transport), IClassFixture<ThreadPoolFixture>;

    public sealed class EndPointFeatures(ThreadPoolFixture transport)
        : EndPointFeatureSuite(transport), IClassFixture<ThreadPoolFixture>;

    [Collection(HeavyTests.Name)]
    public sealed class Heavy(ThreadPoolFixture transport) : HeavySuite(transport), IClassFixture<ThreadPoolFixture>;
}
