using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Transport;

/// <summary>
/// What Kestrel finds in the container: the epoll transport where the options turn it on and it can serve an end point, and
/// nothing otherwise, so that Kestrel goes on to its own.
/// </summary>
internal sealed class NodeTransportFactory(IServiceProvider services, IOptions<NumaOptions> options)
    : IConnectionListenerFactory, IConnectionListenerFactorySelector
{
    private EpollTransportFactory Transport => services.GetRequiredService<EpollTransportFactory>();

    public bool CanBind(EndPoint endpoint) => IsOn(options.Value) && Transport.CanBind(endpoint);

    public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
        Transport.BindAsync(endpoint, cancellationToken);

    /// <summary>Off on other systems than Linux, which have no epoll.</summary>
    public static bool IsOn(NumaOptions options) =>
        options.Enabled && options.Transport.Enabled && OperatingSystem.IsLinux();

    /// <summary>Who serves connections, and how.</summary>
    public static string Describe(NumaOptions options) =>
        IsOn(options) ? $"epoll, {options.Transport.Dispatch}" : "Kestrel's own";
}
