using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace NumaSharp.Transport.Epoll;

/// <summary>Gives Kestrel the epoll transport.</summary>
public static class WebHostBuilderNumaExtensions
{
    /// <summary>
    /// Lets Kestrel serve TCP and Unix end points and file handles through the transport; every other end point stays with
    /// Kestrel's own transports.
    /// </summary>
    /// <param name="builder">The web host's builder.</param>
    /// <param name="transport">The transport; whoever made it disposes it.</param>
    /// <returns>The builder.</returns>
    public static IWebHostBuilder UseNumaSharpTransport(this IWebHostBuilder builder, EpollTransportFactory transport)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(transport);
        return builder.ConfigureServices(services =>
        {
            // Kestrel adds its own only where there is none, and asks the last one first.
            services.TryAddEnumerable(ServiceDescriptor.Singleton<IConnectionListenerFactory, SocketTransportFactory>());
            services.AddSingleton<IConnectionListenerFactory>(transport);
        });
    }
}
