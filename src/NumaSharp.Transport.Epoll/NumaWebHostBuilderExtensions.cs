using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace NumaSharp.Transport.Epoll;

/// <summary>Registers the epoll transport with Kestrel.</summary>
public static class NumaWebHostBuilderExtensions
{
    /// <summary>
    /// Makes Kestrel serve TCP and Unix end points and file handles through the transport; all other end points stay with
    /// Kestrel's own transports.
    /// </summary>
    /// <param name="builder">The web host's builder.</param>
    /// <param name="transport">The transport; its creator disposes it.</param>
    /// <returns>The builder.</returns>
    public static IWebHostBuilder UseNumaSharpTransport(this IWebHostBuilder builder, EpollTransportFactory transport)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(transport);
        return builder.ConfigureServices(services =>
        {
            // Kestrel adds its own only if there is none, and asks the last one first.
            services.TryAddEnumerable(ServiceDescriptor.Singleton<IConnectionListenerFactory, SocketTransportFactory>());
            services.AddSingleton<IConnectionListenerFactory>(transport);
        });
    }
}
