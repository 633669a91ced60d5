using NumaSharp.Transport.Epoll.Tests.Conformance.Http;
using NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>Those suites on our transport over Unix sockets that depend on what the kernel's sockets do.</summary>
public static class UnixAdaptiveTransportTests
{
    public sealed class Requests(UnixAdaptiveFixture transport)
        : RequestSuite(transport), IClassFixture<UnixAdaptiveFixture>;

    public sealed class BackPressure(UnixAdaptiveFixture transport)
        : BackPressureSuite(transport), IClassFixture<UnixAdaptiveFixture>;

    public sealed class Departures(UnixAdaptiveFixture transport)
        : DepartureSuite(transport), IClassFixture<UnixAdaptiveFixture>;

    public sealed class Http2Endings(UnixAdaptiveFixture transport)
        : Http2EndingSuite(transport), IClassFixture<UnixAdaptiveFixture>;

    public sealed class Handlers(UnixAdaptiveFixture transport)
        : ConnectionHandlerSuite(transport), IClassFixture<UnixAdaptiveFixture>;

    public sealed class PipeReaders(UnixAdaptiveFixture transport)
        : PipeReaderSuite(transport), IClassFixture<UnixAdaptiveFixture>;

    public sealed class PipeWriters(UnixAdaptiveFixture transport)
        : PipeWriterSuite(transport), IClassFixture<UnixAdaptiveFixture>;

    public sealed class Connections(UnixAdaptiveFixture transport)
        : ConnectionSuite(transport), IClassFixture<UnixAdaptiveFixture>;

    public sealed class ReadLimits(UnixAdaptiveFixture transport)
        : ReadLimitSuite(transport), IClassFixture<UnixAdaptiveFixture>;

    public sealed class UnreadData(UnixAdaptiveFixture transport)
        : UnreadDataSuite(transport), IClassFixture<UnixAdaptiveFixture>;

    public sealed class EndPointFeatures(UnixAdaptiveFixture transport)
        : EndPointFeatureSuite(transport), IClassFixture<UnixAdaptiveFixture>;
}
