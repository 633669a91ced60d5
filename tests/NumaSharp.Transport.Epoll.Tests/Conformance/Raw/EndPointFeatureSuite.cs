using Microsoft.AspNetCore.Connections.Features;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

/// <summary>For transports with IConnectionEndPointFeature, which Kestrel's own is without.</summary>
public abstract class EndPointFeatureSuite(TransportFixture transport) : RawSuite(transport)
{
    [Fact]
    public async Task EndPointFeature_OfAConnection_IsItsEndPoints()
    {
        await using var connection = await OpenAsync();
        var feature = connection.Server.Features.Get<IConnectionEndPointFeature>()!;
        Assert.Equal(connection.Client.Socket.RemoteEndPoint, feature.LocalEndPoint);
        Assert.Equal(connection.Client.Socket.LocalEndPoint, feature.RemoteEndPoint);
    }
}
