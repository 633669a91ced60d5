using System.Buffers;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.Extensions.Options;
using NumaSharp.Playground.Web.Addresses;

namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>
/// An echo on the transport that Kestrel would take for the address, without Kestrel and without HTTP: what lives for one of its
/// connections is the transport's, and the state of one asynchronous method.
/// </summary>
internal sealed class RawServer(
    IOptions<WebAddressOptions> addresses,
    IEnumerable<IConnectionListenerFactory> transports,
    Departures departures,
    ILogger<RawServer> log) : IHostedService
{
    private static readonly Action<ILogger, Exception?> s_failed =
        LoggerMessage.Define(LogLevel.Error, new EventId(1, "RawConnectionFailed"), "A connection without HTTP failed.");

    // What Kestrel sets for a connection. They are never read here: only the slots count.
    private static readonly Type[] s_kestrels =
    [
        typeof(IConnectionHeartbeatFeature),
        typeof(IConnectionCompleteFeature),
        typeof(IConnectionLifetimeNotificationFeature),
        typeof(RawServer), // For the one of its metrics, which is internal.
    ];

    private IConnectionListener? _listener;
    private Task _accepting = Task.CompletedTask;

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        var url = addresses.Value.RawUrl;
        var endPoint = WebAddress.ToEndPoint(url);
        try
        {
            _listener = await Choose(endPoint).BindAsync(endPoint, cancellationToken);
        }
        catch (Exception failure) when (failure is AddressInUseException or IOException or SocketException)
        {
            // As Kestrel says it, with the address.
            throw new IOException($"Failed to bind to address {url}: {failure.Message}", failure);
        }

        _accepting = AcceptAsync(_listener);
    }

    /// <summary>Connections that are open stay: keeping them in a list would be memory that is not the transport's.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (_listener is { } listener)
        {
            await listener.UnbindAsync(cancellationToken);
            await _accepting;
            await listener.DisposeAsync();
        }
    }

    // As Kestrel does: the last that was registered and says that it can.
    private IConnectionListenerFactory Choose(EndPoint endPoint) =>
        transports.Last(transport => transport is not IConnectionListenerFactorySelector selector || selector.CanBind(endPoint));

    private async Task AcceptAsync(IConnectionListener listener)
    {
        while (await listener.AcceptAsync() is { } connection)
        {
            _ = ServeAsync(connection);
        }
    }

    // One method: each more that waits for a connection would be an object more of it.
    private async Task ServeAsync(ConnectionContext connection)
    {
        try
        {
            // The accept loop must not run the application.
            await Task.Yield();
            Touch(connection);
            var (input, output) = (connection.Transport.Input, connection.Transport.Output);
            var isOver = false;
            while (!isOver)
            {
                var read = await input.ReadAsync();
                foreach (var segment in read.Buffer)
                {
                    output.Write(segment.Span);
                }

                input.AdvanceTo(read.Buffer.End);
                isOver = (await output.FlushAsync()).IsCompleted || read.IsCompleted;
            }
        }
        catch (Exception left) when (left is ConnectionResetException or ConnectionAbortedException)
        {
            departures.Add();
        }
        catch (Exception failure)
        {
            // This task is not awaited.
            s_failed(log, failure);
        }
        finally
        {
            await connection.DisposeAsync();
        }
    }

    // Kestrel reads these of every HTTP connection; a transport may create them only then.
    private static void Touch(ConnectionContext connection)
    {
        foreach (var feature in s_kestrels)
        {
            connection.Features[feature] = s_kestrels;
        }

        _ = connection.ConnectionId;
        _ = connection.LocalEndPoint;
        _ = connection.RemoteEndPoint;
        _ = connection.ConnectionClosed;
    }
}
