using System.Net;
using System.Threading.Channels;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Transport.Epoll.Connections;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>An end point with a listening socket per shard; what they accept meets in one queue for Kestrel.</summary>
internal sealed class EpollListener : IConnectionListener
{
    private readonly Channel<EpollConnection> _accepted =
        Channel.CreateUnbounded<EpollConnection>(new UnboundedChannelOptions { SingleReader = true });

    private readonly AcceptHandler[] _handlers;
    private readonly Action<EpollListener> _disposed;
    private int _isDisposed;

    public EpollListener(IPEndPoint endPoint, IReadOnlyList<ListenerShard> shards, Action<EpollListener> disposed)
    {
        _disposed = disposed;
        var options = shards[0].Options;
        var sockets = ListenerSockets.Listen(endPoint, shards.Count, options.Backlog, options.SharePort, out var bound);
        EndPoint = bound;
        _handlers =
        [
            .. sockets.Zip(
                shards, (socket, shard) => new AcceptHandler(shard, socket, bound, _accepted.Writer.TryWrite)),
        ];
        try
        {
            foreach (var handler in _handlers)
            {
                handler.Start();
            }
        }
        catch
        {
            foreach (var handler in _handlers)
            {
                handler.Dispose();
            }

            throw;
        }
    }

    public EndPoint EndPoint { get; }

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        while (await _accepted.Reader.WaitToReadAsync(cancellationToken).ConfigureAwait(false))
        {
            if (_accepted.Reader.TryRead(out var connection))
            {
                return connection;
            }
        }

        return null;
    }

    public ValueTask UnbindAsync(CancellationToken cancellationToken = default)
    {
        foreach (var handler in _handlers)
        {
            handler.Dispose();
        }

        _accepted.Writer.TryComplete();
        return ValueTask.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return;
        }

        await UnbindAsync().ConfigureAwait(false);
        while (_accepted.Reader.TryRead(out var connection))
        {
            connection.Abort();
            await connection.DisposeAsync().ConfigureAwait(false);
        }

        _disposed(this);
    }
}
