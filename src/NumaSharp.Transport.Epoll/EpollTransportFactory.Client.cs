using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.Core.Memory;
using NumaSharp.Transport.Epoll.Connecting;
using NumaSharp.Transport.Epoll.Listening;

namespace NumaSharp.Transport.Epoll;

/// <content>The client side: outgoing connections, on the same loops.</content>
public sealed partial class EpollTransportFactory : IConnectionFactory
{
    private readonly CancellationTokenSource _stopping = new();
    private readonly ClaimedFallbacks _clientFallbacks;
    private bool _hasConnected;

    /// <summary>
    /// Connects to a TCP or Unix end point. The connection lives on the least loaded loop of the caller's node. The first call
    /// starts the loops, which then run until the factory is disposed.
    /// </summary>
    /// <param name="endpoint">The destination. Names are not resolved: a <see cref="DnsEndPoint"/> is not supported.</param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    /// <returns>The connection; the caller disposes it.</returns>
    /// <exception cref="SocketException">The connection failed; the codes are those of <see cref="Socket"/>.</exception>
    /// <exception cref="NumaException">The loop cannot watch it (epoll_ctl(2)).</exception>
    /// <exception cref="NotSupportedException">Another kind of end point, or this is not Linux.</exception>
    /// <exception cref="OperationCanceledException">The token was canceled.</exception>
    /// <exception cref="ObjectDisposedException">The factory was disposed.</exception>
    public ValueTask<ConnectionContext> ConnectAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        if (!CanBind(endpoint) || endpoint is FileHandleEndPoint)
        {
            throw new NotSupportedException(
                $"The epoll transport connects to TCP and Unix end points on Linux, not '{endpoint}'.");
        }

        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<ConnectionContext>(cancellationToken)
            : ConnectCoreAsync(endpoint, cancellationToken);
    }

    private async ValueTask<ConnectionContext> ConnectCoreAsync(EndPoint endPoint, CancellationToken cancellationToken)
    {
        var tuning = new SocketTuning([_options], $"{endPoint}", _clientFallbacks);
        return await ConnectOperation.RunAsync(ShardOfCaller(), endPoint, tuning, _stopping.Token, cancellationToken)
            .ConfigureAwait(false);
    }

    private LoopShard ShardOfCaller()
    {
        lock (_lock)
        {
            EnsureShards();
            _hasConnected = true;
            Volatile.Write(ref _keepsLoops, true);
            return _shards![_load.LeastOn(_scheduler.Plan.NearestTo(_pools!.Current.NodeId).NodeId)];
        }
    }
}
