using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using System.Runtime.ExceptionServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NumaSharp.Hosting.Settings;
using NumaSharp.Hosting.Telemetry;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Transport;

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
                        + "options in code: AddNumaUdp(..., udp => udp.Port = ...)",
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

/// <summary>The handlers of a listener, disposed of with it. Thread-safe.</summary>
internal sealed class UdpHandlers<THandler> : IAsyncDisposable
    where THandler : class
{
    private readonly Lock _lock = new();

    // None once the listener has ended.
    private List<THandler>? _handlers = [];

    /// <summary>
    /// Adds a handler. After the end it is disposed of at once: its constructor, called to replace a hanging handler, took longer
    /// than the end waits. Then no datagram reaches it.
    /// </summary>
    public void Add(THandler handler)
    {
        lock (_lock)
        {
            if (_handlers is not null)
            {
                _handlers.Add(handler);
                return;
            }
        }

        EndAsync(handler).AsTask().GetAwaiter().GetResult();
    }

    /// <exception cref="Exception">A handler's; the others are disposed of all the same.</exception>
    /// <exception cref="AggregateException">Several handlers threw.</exception>
    public async ValueTask DisposeAsync()
    {
        List<THandler>? handlers;
        lock (_lock)
        {
            (handlers, _handlers) = (_handlers, null);
        }

        List<Exception> failures = [];
        foreach (var handler in handlers ?? [])
        {
            try
            {
                await EndAsync(handler).ConfigureAwait(false);
            }
            catch (Exception exception)
            {
                // The application's code may throw anything. What the other handlers hold must not leak for that.
                failures.Add(exception);
            }
        }

        ThrowIfAny(failures);
    }

    private static void ThrowIfAny(List<Exception> failures)
    {
        if (failures.Count == 1)
        {
            ExceptionDispatchInfo.Throw(failures[0]);
        }

        if (failures.Count > 1)
        {
            throw new AggregateException(failures);
        }
    }

    private static async ValueTask EndAsync(THandler handler)
    {
        switch (handler)
        {
            case IAsyncDisposable disposable:
                await disposable.DisposeAsync().ConfigureAwait(false);
                break;
            case IDisposable disposable:
                disposable.Dispose();
                break;
        }
    }
}
