using NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>The suites of a bare connection, on those that our transport makes.</summary>
public static class ConnectingTransportTests
{
    public sealed class PipeReaders(ConnectingFixture transport) : PipeReaderSuite(transport), IClassFixture<ConnectingFixture>;

    public sealed class PipeWriters(ConnectingFixture transport) : PipeWriterSuite(transport), IClassFixture<ConnectingFixture>;

    public sealed class Connections(ConnectingFixture transport) : ConnectionSuite(transport), IClassFixture<ConnectingFixture>;

    public sealed class ReadLimits(ConnectingFixture transport) : ReadLimitSuite(transport), IClassFixture<ConnectingFixture>;

    public sealed class Resets(ConnectingFixture transport) : ResetSuite(transport), IClassFixture<ConnectingFixture>;

    public sealed class UnreadData(ConnectingFixture transport) : UnreadDataSuite(transport), IClassFixture<ConnectingFixture>;

    public sealed class EndPointFeatures(ConnectingFixture transport)
        : EndPointFeatureSuite(transport), IClassFixture<ConnectingFixture>;
}
