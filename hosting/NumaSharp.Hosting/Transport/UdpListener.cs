using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NumaSharp.Hosting.Configuration;
using NumaSharp.Hosting.Starting;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Udp;

/// <summary>Hosts a listener of <c>Numa:Udp</c>: one handler per shard, from the host's start to its end.</summary>
/// <param name="name">Its name.</param>
/// <param name="services">The host's services.</param>
/// <param name="section">Used for messages.</param>
/// <param name="loggers">Used for its events.</param>
internal sealed class UdpListener<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(
    string name, IServiceProvider services, NumaSection section, ILoggerFactory loggers) : IHostedService, IAsyncDisposable
    where THandler : class, IDatagramHandler
{
    private readonly ILogger _logger = loggers.CreateLogger(NumaHostingLog.Category);
    private readonly UdpHandlers<THandler> _handlers = new();
    private NumaUdpSocket? _socket;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        var options = services.GetRequiredService<IOptions<NumaOptions>>().Value;
        if (!options.Udp.TryGetValue(name, out var own))
        {
            throw RefusedStart.Because(
                services,
                [
                    $"{section.Prefix}Udp:{name} is not set: AddNumaUdp(\"{name}\") needs a section with a Port, or "
                        + "Configure(options => options.Udp[...] = ...)",
                ]);
        }

        var factory = services.GetRequiredService<NumaUdpSocketFactory>();
        try
        {
            _socket = factory.Bind(new IPEndPoint(AddressOf(own.Address), own.Port), CreateHandler, own);
        }
        catch (SocketException failure)
        {
            throw new IOException($"{section.Prefix}Udp:{name}: {failure.Message}", failure);
        }

        NumaHostingLog.ListensForDatagrams(_logger, name, _socket.LocalEndPoint, _socket.Shards.Length);
        return Task.CompletedTask;
    }

    // Queued datagrams are handled and replied to, for as long as the host allows.
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (_socket is { } socket)
        {
            try
            {
                await socket.StopAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                NumaHostingLog.AbandonedDatagrams(_logger, name);
            }

            await DisposeAsync().ConfigureAwait(false);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _socket, null) is { } socket)
        {
            await socket.DisposeAsync().ConfigureAwait(false);
        }

        // Also those of a socket that could not be bound.
        await _handlers.DisposeAsync().ConfigureAwait(false);
    }

    // One per shard, so it needs no lock for its own state. Loops also call it, to replace a hanging handler.
    private THandler CreateHandler(NumaUdpShard shard)
    {
        var handler = ActivatorUtilities.CreateInstance<THandler>(services);
        _handlers.Add(handler);
        return handler;
    }

    private static IPAddress AddressOf(string text) =>
        text != AddressFormat.Any ? IPAddress.Parse(text)
        : Socket.OSSupportsIPv6 ? IPAddress.IPv6Any : IPAddress.Any;
}
