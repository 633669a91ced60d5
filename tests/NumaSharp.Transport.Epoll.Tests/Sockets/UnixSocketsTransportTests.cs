using NumaSharp.Transport.Epoll.Tests.Conformance.Http;
using NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

namespace NumaSharp.Transport.Epoll.Tests.Sockets;

/// <summary>Those suites on the oracle over Unix sockets that depend on what the kernel's sockets do.</summary>
public static class UnixSocketsTransportTests
{
    public sealed class Requests(UnixSocketsFixture transport)
        : RequestSuite(transport), IClassFixture<UnixSocketsFixture>;

    public sealed class BackPressure(UnixSocketsFixture transport)
        : BackPressureSuite(transport), IClassFixture<UnixSocketsFixture>;

    public sealed class Departures(UnixSocketsFixture transport)
        : DepartureSuite(transport), IClassFixture<UnixSocketsFixture>;

    public sealed class Http2Endings(UnixSocketsFixture transport)
        : Http2EndingSuite(transport), IClassFixture<UnixSocketsFixture>;

    public sealed class Handlers(UnixSocketsFixture transport)
        : ConnectionHandlerSuite(transport), IClassFixture<UnixSocketsFixture>;

    public sealed class PipeReaders(UnixSocketsFixture transport)
        : PipeReaderSuite(transport), IClassFixture<UnixSocketsFixture>;

    public sealed class PipeWriters(UnixSocketsFixture transport)
        : PipeWriterSuite(transport), IClassFixture<UnixSocketsFixture>;

    public sealed class Connections(UnixSocketsFixture transport)
        : ConnectionSuite(transport), IClassFixture<UnixSocketsFixture>;

    public sealed class ReadLimits(UnixSocketsFixture transport)
        : ReadLimitSuite(transport), IClassFixture<UnixSocketsFixture>;

    public sealed class ReadAhead(UnixSocketsFixture transport) : ReadAheadSuite(transport), IClassFixture<UnixSocketsFixture>;
}
