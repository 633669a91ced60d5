using System.Net;
using System.Threading.Channels;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// An end point with a listening socket per shard, or one whose connections the least loaded shards get. What is accepted meets
/// in one queue for Kestrel.
/// </summary>
internal sealed class EpollListener : IConnectionListener
{
    private readonly Channel<EpollConnection> _accepted =
        Channel.CreateUnbounded<EpollConnection>(new UnboundedChannelOptions { SingleReader = true });

    private readonly AcceptHandler[] _handlers;
    private readonly ListenerBinding _binding;
    private readonly Action<EpollListener> _disposed;
    private int _isUnbound;
    private int _isDisposed;

    public EpollListener(
        ListenerBinding binding,
        IReadOnlyList<ListenerShard> shards,
        ShardChooser chooser,
        SocketTuning tuning,
        Action<EpollListener> disposed)
    {
        _binding = binding;
        _disposed = disposed;
        _handlers = binding.Sockets.Count == shards.Count
            ? [.. binding.Sockets.Zip(shards, (socket, shard) => Accepting(socket, shard, () => shard))]
            : [.. binding.Sockets.Select(socket => Accepting(socket, chooser.LeastLoaded(), chooser.LeastLoaded))];
        try
        {
            foreach (var handler in _handlers)
            {
                handler.Start();
            }
        }
        catch
        {
            Close();
            throw;
        }

        AcceptHandler Accepting(StreamSocket socket, ListenerShard shard, Func<ListenerShard> choose) =>
            new(shard, socket, binding.EndPoint, tuning, choose, _accepted.Writer.TryWrite);
    }

    public EndPoint EndPoint => _binding.EndPoint;

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
        Close();
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

    // Once: the path may be somebody else's afterwards.
    private void Close()
    {
        if (Interlocked.Exchange(ref _isUnbound, 1) != 0)
        {
            return;
        }

        foreach (var handler in _handlers)
        {
            handler.Dispose();
        }

        _binding.DeleteFile();
    }
}
