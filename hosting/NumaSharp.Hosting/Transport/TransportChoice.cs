using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Transport;

/// <summary>
/// The transport that serves connections: epoll if the options enable it, unless the application has chosen Kestrel's sockets
/// after <c>AddNuma()</c>. The last call wins, as for every other service.
/// </summary>
/// <param name="services">The application's registrations, complete when first read.</param>
/// <param name="options">The options.</param>
internal sealed class TransportChoice(IServiceCollection services, IOptions<NumaOptions> options)
{
    private readonly Lazy<bool> _hasLaterSockets = new(() => HasLaterSockets(services));

    /// <summary>Whether the epoll transport serves what it can. False on systems other than Linux, which have no epoll.</summary>
    public bool IsOurs => IsOn && !_hasLaterSockets.Value;

    /// <summary>Whether it would serve, but the application has chosen Kestrel's sockets.</summary>
    public bool IsOverruled => IsOn && _hasLaterSockets.Value;

    private bool IsOn => options.Value is { Enabled: true, Transport.Enabled: true } && OperatingSystem.IsLinux();

    /// <summary>The transport, and its dispatch.</summary>
    public override string ToString() => IsOurs ? $"epoll, {options.Value.Transport.Dispatch}" : "Kestrel's own";

    // UseSockets() registers no transport if there is one (TryAdd); but it always configures the transport's options with the
    // services' pools. So does Kestrel itself, which then also registers a server. An application that configures these options
    // with its own services looks the same: event 709 reports it.
    private static bool HasLaterSockets(IServiceCollection services)
    {
        ServiceDescriptor[] all = [.. services.Where(static service => !service.IsKeyedService)];
        var own = Array.FindIndex(all, static service => IsOf(service, typeof(NodeTransportFactory)));
        var later = all[(own + 1)..];
        var configured = later.Count(static service =>
            service.ServiceType == typeof(IConfigureOptions<SocketTransportOptions>)
            && service.ImplementationFactory is not null);
        var servers = later.Count(static service =>
            service.ServiceType == typeof(IServer) && service.ImplementationType?.Assembly == typeof(KestrelServer).Assembly);
        return own < 0
            || configured > servers
            || Array.Exists(later, static service => IsOf(service, typeof(SocketTransportFactory)));
    }

    private static bool IsOf(ServiceDescriptor service, Type factory) =>
        service.ServiceType == typeof(IConnectionListenerFactory) && service.ImplementationType == factory;
}

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
