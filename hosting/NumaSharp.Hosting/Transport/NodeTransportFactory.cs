using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Transport;

/// <summary>
/// The factory that Kestrel finds in the container: the epoll transport if it is chosen and can serve an end point, otherwise
/// none, so that Kestrel continues with its own.
/// </summary>
internal sealed class NodeTransportFactory(IServiceProvider services, TransportChoice choice)
    : IConnectionListenerFactory, IConnectionListenerFactorySelector
{
    private EpollTransportFactory Transport => services.GetRequiredService<EpollTransportFactory>();

    public bool CanBind(EndPoint endpoint) => choice.IsOurs && Transport.CanBind(endpoint);

    public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
        Transport.BindAsync(endpoint, cancellationToken);
}
