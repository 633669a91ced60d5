using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace NumaSharp.Hosting.Transport;

/// <summary>
/// Who serves connections: the epoll transport where the options turn it on, unless the application has asked for Kestrel's
/// sockets after <c>AddNuma()</c>. The last call wins, as it does for every other service.
/// </summary>
/// <param name="services">What the application has registered, complete when the first answer is asked for.</param>
/// <param name="options">The options.</param>
internal sealed class TransportChoice(IServiceCollection services, IOptions<NumaOptions> options)
{
    private readonly Lazy<bool> _hasLaterSockets = new(() => HasLaterSockets(services));

    /// <summary>Whether the epoll transport serves what it can. Off on other systems than Linux, which have no epoll.</summary>
    public bool IsOurs => IsOn && !_hasLaterSockets.Value;

    /// <summary>Whether it would, had the application not asked for Kestrel's sockets.</summary>
    public bool IsOverruled => IsOn && _hasLaterSockets.Value;

    private bool IsOn => options.Value is { Enabled: true, Transport.Enabled: true } && OperatingSystem.IsLinux();

    /// <summary>Who serves, and how.</summary>
    public override string ToString() => IsOurs ? $"epoll, {options.Value.Transport.Dispatch}" : "Kestrel's own";

    // UseSockets() registers no transport where there is one (TryAdd); it always has the transport's options take the pools of
    // the services. So does Kestrel itself, which registers a server then. An application that configures these options with
    // services of its own looks the same: event 709 says so.
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
