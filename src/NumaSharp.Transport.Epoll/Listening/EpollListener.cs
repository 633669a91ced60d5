using System.Net;
using System.Threading.Channels;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// An end point with one listening socket per shard, or a single one that gives its connections to the least loaded shards. One
/// queue passes all accepted connections to Kestrel.
/// </summary>
internal sealed class EpollListener : IConnectionListener
{
    private readonly Channel<EpollConnection> _accepted =
        Channel.CreateUnbounded<EpollConnection>(new UnboundedChannelOptions { SingleReader = true });

    private readonly IReadOnlyList<LoopShard> _shards;
    private readonly LoopLoad _load;
    private readonly LoopChooser _chooser;
    private readonly AcceptHandler[] _handlers;
    private readonly ListenerBinding _binding;
    private readonly bool _isSpread;
    private volatile SteeringTable? _steering;
    private volatile bool _isReordered;
    private readonly Action<EpollListener> _disposed;
    private int _isUnbound;
    private int _isDisposed;

    public EpollListener(
        ListenerBinding binding,
        IReadOnlyList<LoopShard> shards,
        LoopLoad load,
        SocketTuning tuning,
        ClaimedFallbacks fallbacks,
        Action<EpollListener> disposed)
    {
        Fallbacks = fallbacks;
        _binding = binding;
        _disposed = disposed;
        _shards = shards;
        _load = load;
        _isSpread = binding.Sockets.Count == shards.Count;
        _chooser = new LoopChooser(load, shards[0].Options.Steering);
        _handlers = [.. binding.Sockets.Select((socket, index) => Accepting(socket, _isSpread ? index : load.Least()))];
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

        AcceptHandler Accepting(StreamSocket socket, int index) => new(
            shards[index],
            socket,
            binding.EndPoint,
            tuning,
            Reopen,
            accepted => ShardOf(accepted, index),
            _accepted.Writer.TryWrite);
    }

    public EndPoint EndPoint => _binding.EndPoint;

    /// <summary>The fallbacks of this end point. They end with it.</summary>
    public ClaimedFallbacks Fallbacks { get; }

    /// <summary>Steers connections as a plan wants it: in the kernel where possible, otherwise on the accepting loops.</summary>
    /// <returns>Why the kernel does not steer; success also if it need not.</returns>
    public SysResult Steer(NumaPlan plan)
    {
        var options = _shards[0].Options;
        if (options.Steering != EpollSteering.Cpu || !_isSpread || _shards.Count == 1)
        {
            return default;
        }

        // Sockets of other processes would be numbered together with ours.
        var table = _steering = new SteeringTable(plan);
        var isOurs = !options.SharePort && !_isReordered;
        var result = isOurs ? _handlers[0].Steer(table.ToProgram()) : default;
        _chooser.Follow(!isOurs || !result.Succeeded || !table.IsComplete ? table : null);
        return result;
    }

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
        Unbind();
        return ValueTask.CompletedTask;
    }

    public void Unbind()
    {
        Close();
        _accepted.Writer.TryComplete();
    }

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return;
        }

        Unbind();
        while (_accepted.Reader.TryRead(out var connection))
        {
            connection.Abort();
            await connection.DisposeAsync().ConfigureAwait(false);
        }

        Fallbacks.EndAll();
        _disposed(this);
    }

    // The kernel renumbers the sockets when one leaves: its choices are checked from now on.
    private StreamSocket Reopen()
    {
        _isReordered = true;
        if (_steering is { } table)
        {
            _chooser.Follow(table);
        }

        return _binding.Reopen();
    }

    private LoopShard ShardOf(StreamSocket accepted, int index)
    {
        var chosen = _isSpread
            ? _chooser.Choose(index, _chooser.NeedsCpu ? accepted.GetIncomingCpu() : SteeringTable.NoLoop)
            : _load.Least();
        if (chosen != index)
        {
            _shards[chosen].Counters.OnPlaced();
        }

        return _shards[chosen];
    }

    // Once: afterwards the path may belong to another socket.
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
