using System.Collections.Immutable;
using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Udp.Batching;
using NumaSharp.Udp.Interop;
using NumaSharp.Udp.Shards;

namespace NumaSharp.Udp;

/// <summary>
/// A datagram socket with one shard per event loop, or node (SO_REUSEPORT, socket(7)): datagrams arriving on a node stay there.
/// Created by a <see cref="NumaUdpSocketFactory"/>. Thread-safe.
/// </summary>
public sealed class NumaUdpSocket : IAsyncDisposable
{
    private readonly Lock _lock = new();
    private readonly NumaUdpSocketFactory _factory;
    private readonly SocketOpener _opener;
    private readonly int[] _loopOfShard;
    private readonly IReadOnlyList<NumaEventLoop> _loops;
    private readonly SegmentationOffload _offload;

    // Not the objects that callers have: end points can be changed.
    private readonly IPEndPoint _local;

    // The shards in the order in which the kernel numbers their sockets.
    private readonly List<int> _order = [];
    private SteeringTable? _steering;

    // Logged once.
    private bool _isWithoutAddresses;

    private LogGate _failedHandlers;
    private LogGate _failedReceives;
    private LogGate _stuckHandlers;
    private LogGate _tooManyStuckHandlers;
    private LogGate _returnedHandlers;
    private LogGate _failedReplacements;

    // One thread completes both, in this order; it must not run the waiters' continuations.
    private readonly TaskCompletionSource _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isEnding;

    private readonly List<(IPAddress Group, int InterfaceIndex)> _groups = [];
    private volatile bool _isOutOfGroups;

    internal NumaUdpSocket(
        NumaUdpSocketFactory factory,
        IPEndPoint local,
        IPEndPoint? remote,
        NumaUdpOptions options,
        IReadOnlyList<NumaEventLoop> loops,
        int[] loopOfShard,
        Func<NumaUdpShard, IDatagramHandler>? handlerOf)
    {
        _factory = factory;
        _loops = loops;
        _loopOfShard = loopOfShard;
        Options = options;
        RemoteEndPoint = remote is null ? null : EndPointCache.Snapshot(remote);
        _opener = new SocketOpener(
            options, local, remote is null ? null : EndPointCache.Snapshot(remote), factory.Fallbacks, connected: factory);
        _local = local;
        List<DatagramSocket> sockets = [];
        List<NumaUdpShard> shards = [];
        try
        {
            for (var i = 0; i < loopOfShard.Length; i++)
            {
                sockets.Add(_opener.Open(_local, isFirst: i == 0 && !options.SharePort, IsGroup, out _local));
            }

            LocalEndPoint = EndPointCache.Snapshot(_local);

            if (remote is null && (options.DropOwnSource ?? !options.SharePort))
            {
                OwnAddresses = new OwnAddresses(LocalEndPoint);
                OnAddressesRead(OwnAddresses.Refresh());
            }

            ReceiveBufferSize = SizeOf(sockets[0], SocketCalls.SO_RCVBUF);
            SendBufferSize = SizeOf(sockets[0], SocketCalls.SO_SNDBUF);
            _offload = new SegmentationOffload(_opener.CutsSends, OnCutRefused);
            for (var i = 0; i < sockets.Count; i++)
            {
                var loop = loops[loopOfShard[i]];
                shards.Add(new NumaUdpShard(
                    this, i, loop, factory.PoolOf(loop), sockets[i], _offload, handlerOf));
                _order.Add(i);
            }
        }
        catch
        {
            shards.ForEach(static shard => shard.Close());
            sockets.ForEach(static socket => socket.Dispose());
            _opener.Fallbacks.EndAll();
            throw;
        }

        Shards = [.. shards];
    }

    /// <summary>The address and port it is bound to.</summary>
    public IPEndPoint LocalEndPoint { get; }

    /// <summary>The peer of a connected socket; <see langword="null"/> otherwise.</summary>
    public IPEndPoint? RemoteEndPoint { get; }

    /// <summary>The shards, node by node.</summary>
    public ImmutableArray<NumaUdpShard> Shards { get; }

    /// <summary>The receive buffer in bytes granted by the kernel to each shard, without its own overhead.</summary>
    public int ReceiveBufferSize { get; }

    /// <summary>The send buffer in bytes granted by the kernel to each shard, without its own overhead.</summary>
    public int SendBufferSize { get; }

    /// <summary>Whether the kernel segments sent messages (<see cref="NumaUdpOptions.Gso"/>); stays false once false.</summary>
    public bool UsesGso => _offload.IsOn;

    /// <summary>Whether the kernel joins received datagrams (<see cref="NumaUdpOptions.Gro"/>).</summary>
    public bool UsesGro => _opener.JoinsReceives;

    internal NumaUdpOptions Options { get; }

    /// <summary>Datagrams from these addresses are dropped; <see langword="null"/> to drop none.</summary>
    internal OwnAddresses? OwnAddresses { get; }

    internal LoopUser User => _factory.User;

    internal TimeProvider? Time => _factory.Time;

    internal IReadOnlyList<int> LoopOfShard => _loopOfShard;

    internal bool IsLocked => _lock.IsHeldByCurrentThread;

    internal int ChecksUntilStuck => _factory.ChecksUntilStuck;

    private bool IsGroup => _loopOfShard.Length > 1 || Options.SharePort;

    /// <summary>Returns the shard to send from: that of the calling thread's loop, one of its node, or the first.</summary>
    /// <returns>The shard.</returns>
    public NumaUdpShard GetNearestShard()
    {
        if (NumaEventLoop.Current is { } current)
        {
            foreach (var shard in Shards)
            {
                if (shard.LoopIndex == current.Index && shard.NodeId == current.NodeId)
                {
                    return shard;
                }
            }
        }

        var node = _factory.CurrentNodeIndex;
        foreach (var shard in Shards)
        {
            if (_loops[shard.LoopIndex].NodeIndex == node)
            {
                return shard;
            }
        }

        return Shards[0];
    }

    /// <summary>Reads the counters of every shard.</summary>
    /// <returns>One entry per shard.</returns>
    public IReadOnlyList<NumaUdpShardStatistics> GetStatistics() => [.. Shards.Select(static shard => shard.GetStatistics())];

    internal void Start()
    {
        foreach (var shard in Shards)
        {
            shard.Start();
        }
    }

    /// <summary>Closes a socket that could not be started, or that the factory no longer accepts.</summary>
    internal void Abandon()
    {
        CloseShards();
        _opener.Fallbacks.EndAll();
    }

    internal void Steer(NumaPlan plan)
    {
        // Sockets of other processes would be numbered together with ours.
        if (Options.Steering != NumaUdpSteering.Cpu || Shards.Length == 1 || Options.SharePort)
        {
            return;
        }

        lock (_lock)
        {
            _steering = ShardPlacement.TableFor(plan, _loops, _loopOfShard);
            Steer();
        }
    }

    private void Steer()
    {
        if (_steering is not { } table || _order.Count == 0)
        {
            return;
        }

        var program = table.Renumber(_order.IndexOf).ToProgram();
        ReportOrEnd(Shards[_order[0]].SteerBy(program), FallbackCatalog.UdpSteering, "SO_ATTACH_REUSEPORT_CBPF");
    }

    private void OnCutRefused(SysResult result) => ReportOrEnd(result, FallbackCatalog.UdpGso, "UDP_SEGMENT");

    // Sandboxes often refuse it (AF_NETLINK). Only a fallback if the application set DropOwnSource.
    private void OnAddressesRead(SysResult result)
    {
        if (Options.DropOwnSource is not null)
        {
            ReportOrEnd(result, FallbackCatalog.UdpOwnSource, "getifaddrs");
        }
        else if (!result.Succeeded && !_isWithoutAddresses)
        {
            _isWithoutAddresses = true;
            _factory.Log.WithoutAddresses(LocalEndPoint, result.ErrorName);
        }
    }

    private void ReportOrEnd(SysResult result, FallbackKind kind, string call)
    {
        if (result.Succeeded)
        {
            _opener.Fallbacks.End(kind);
        }
        else
        {
            _opener.Report(result, kind, call);
        }
    }

    private static int SizeOf(DatagramSocket socket, int name) =>
        socket.GetOption(SocketCalls.SOL_SOCKET, name, out var doubled).Succeeded ? doubled / 2 : 0;

    // Stopping and closing, and sockets lost before that.

    /// <summary>
    /// Stops accepting datagrams, and waits until the queued ones are received, handled and replied to. Receives then return 0.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait; the socket still accepts nothing more.</param>
    /// <returns>A task that completes when nothing is left.</returns>
    /// <exception cref="OperationCanceledException">Datagrams were left: a handler blocks, or no receive is pending.</exception>
    public Task StopAsync(CancellationToken cancellationToken = default) =>
        Task.WhenAll(Shards.Select(static shard => shard.StopAsync())).WaitAsync(cancellationToken);

    /// <summary>
    /// Closes the sockets at once: queued datagrams are lost, and counted. Waits up to 5 seconds for running handlers, except for
    /// one that calls this. Pending receives end with 0 and pending sends fail; their callers resume on the thread pool, and this
    /// does not wait for them.
    /// </summary>
    /// <returns>
    /// A task that completes then. The factory's own loops end with its last socket, unless connections use them; the task
    /// waits for their threads, unless one of them calls this.
    /// </returns>
    public ValueTask DisposeAsync()
    {
        // Waiting for this handler would be waiting for the caller.
        Shards.Select(static shard => shard.FindCaller()).FirstOrDefault(static found => found is not null)?.EndEarly();

        if (!Interlocked.Exchange(ref _isEnding, true))
        {
            _ = EndAsync();
        }

        // So would waiting for the loops' threads, one of which may run the caller: a handler, or code after a receive.
        var isOnLoop = NumaEventLoop.Current is { } loop && _loops.Contains(loop);
        return new ValueTask(isOnLoop ? _closed.Task : _released.Task);
    }

    internal DatagramSocket CreateReplacement(NumaUdpShard shard)
    {
        lock (_lock)
        {
            // The kernel moves its last socket into the place of one that leaves; a new socket comes last.
            var place = _order.IndexOf(shard.Index);
            if (place >= 0)
            {
                _order[place] = _order[^1];
                _order.RemoveAt(_order.Count - 1);
            }

            var socket = _opener.Open(_local, isFirst: false, IsGroup, out _);
            _order.Add(shard.Index);
            return socket;
        }
    }

    internal void OnSocketLost(NumaUdpShard shard, string error) =>
        _factory.Log.SocketLost(shard.LoopIndex, LocalEndPoint, error);

    internal void OnUnwatched(NumaUdpShard shard, string error) =>
        _factory.Log.SocketUnwatched(shard.LoopIndex, LocalEndPoint, error);

    internal void OnWatchedAgain(NumaUdpShard shard) =>
        _factory.Log.SocketWatched(shard.LoopIndex, LocalEndPoint);

    internal void OnRestartFailed(NumaUdpShard shard, string error)
    {
        // The kernel has renumbered the others.
        lock (_lock)
        {
            Steer();
        }

        _factory.Log.RestartFailed(shard.LoopIndex, LocalEndPoint, error);
    }

    internal void OnRestarted(NumaUdpShard shard)
    {
        if (shard.Index == 0)
        {
            _ = shard.WithSocket(Rejoin);
        }

        lock (_lock)
        {
            Steer();
        }

        _factory.Log.Restarted(shard.LoopIndex, LocalEndPoint);
    }

    internal void OnHandlerFailed(NumaUdpShard shard, Exception exception)
    {
        var failures = shard.Counters.OnHandlerFailed();
        if (TryPass(ref _failedHandlers))
        {
            _factory.Log.HandlerFailed(LocalEndPoint, shard.LoopIndex, failures, exception);
        }
    }

    internal void OnHandlerStuck(NumaUdpShard shard, TimeSpan duration)
    {
        if (TryPass(ref _stuckHandlers))
        {
            _factory.Log.HandlerStuck(LocalEndPoint, shard.LoopIndex, (long)duration.TotalSeconds);
        }
    }

    internal void OnTooManyHandlersStuck(NumaUdpShard shard, TimeSpan duration)
    {
        if (TryPass(ref _tooManyStuckHandlers))
        {
            _factory.Log.HandlersStuck(LocalEndPoint, shard.LoopIndex, (long)duration.TotalSeconds, NumaUdpShard.MaxLeftBehind);
        }
    }

    internal void OnHandlerReturned(NumaUdpShard shard, TimeSpan duration)
    {
        if (TryPass(ref _returnedHandlers))
        {
            _factory.Log.HandlerReturned(LocalEndPoint, shard.LoopIndex, (long)duration.TotalSeconds);
        }
    }

    internal void OnReplaceFailed(NumaUdpShard shard, Exception exception)
    {
        if (TryPass(ref _failedReplacements))
        {
            _factory.Log.ReplaceFailed(LocalEndPoint, shard.LoopIndex, exception);
        }
    }

    internal void OnReceiveFailed(NumaUdpShard shard, string error)
    {
        if (TryPass(ref _failedReceives))
        {
            _factory.Log.ReceiveFailed(LocalEndPoint, shard.LoopIndex, error);
        }
    }

    internal void Check()
    {
        foreach (var shard in Shards)
        {
            shard.Check();
        }

        if (_isOutOfGroups)
        {
            _ = Shards[0].WithSocket(Rejoin);
        }

        if (OwnAddresses?.RefreshIfAsked() is { } result)
        {
            OnAddressesRead(result);
        }
    }

    // Shards of several loops may have the same problem at the same time.
    private bool TryPass(ref LogGate gate)
    {
        lock (_lock)
        {
            return gate.TryPass();
        }
    }

    private void CloseShards()
    {
        foreach (var shard in Shards)
        {
            shard.Close();
        }
    }

    // Runs no application code: that could block, or wait for this.
    private async Task EndAsync()
    {
        // Not on the caller's thread, which may have a handler to finish, or hold locks.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            CloseShards();
            await WaitForReceiversAsync().ConfigureAwait(false);
            _opener.Fallbacks.EndAll();
            _factory.OnClosed(this);
            _closed.SetResult();
            _factory.ReleaseUnlessDisposed();
            _released.SetResult();
        }
        catch (Exception exception)
        {
            // Passed to the callers of DisposeAsync.
            _closed.TrySetException(exception);
            _released.TrySetException(exception);
        }
    }

    private async Task WaitForReceiversAsync()
    {
        var limit = _factory.EndLimit;
        try
        {
            await Task.WhenAll(Shards.Select(static shard => shard.Ended)).WaitAsync(limit).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            _factory.Log.HandlerLeftBehind(LocalEndPoint, limit.TotalSeconds);
        }
    }

    // Groups. The first shard joins them all: the kernel gives a copy to each socket that has joined.

    /// <summary>Joins a group to receive its datagrams (IP_ADD_MEMBERSHIP, ip(7)), on the first shard only.</summary>
    /// <param name="group">A multicast address of the socket's family; a dual-mode socket takes both.</param>
    /// <param name="interfaceIndex">
    /// The network interface (if_nametoindex(3)); 0 for the one in the address (<c>ff02::fb%2</c>), or the one that routing
    /// chooses.
    /// </param>
    /// <exception cref="ArgumentException">The address is not a multicast one.</exception>
    /// <exception cref="SocketException">The kernel refuses, or the socket is lost and cannot be opened again yet.</exception>
    /// <exception cref="ObjectDisposedException">The socket is disposed.</exception>
    public void JoinGroup(IPAddress group, int interfaceIndex = 0) => SetMembership(group, interfaceIndex, isMember: true);

    /// <summary>Leaves a group joined by <see cref="JoinGroup"/>.</summary>
    /// <param name="group">The group.</param>
    /// <param name="interfaceIndex">The interface it was joined on; 0 for the one in the address, or any.</param>
    /// <exception cref="ArgumentException">The address is not a multicast one.</exception>
    /// <exception cref="SocketException">It was not joined.</exception>
    /// <exception cref="ObjectDisposedException">The socket is disposed.</exception>
    public void LeaveGroup(IPAddress group, int interfaceIndex = 0) => SetMembership(group, interfaceIndex, isMember: false);

    private void SetMembership(IPAddress group, int interfaceIndex, bool isMember)
    {
        ArgumentNullException.ThrowIfNull(group);
        ArgumentOutOfRangeException.ThrowIfNegative(interfaceIndex);
        if (!IsMulticast(group))
        {
            throw new ArgumentException(
                $"{group} is not a multicast address: 224.0.0.0 to 239.255.255.255, or ff00::/8.", nameof(group));
        }

        if (group.AddressFamily == AddressFamily.InterNetworkV6)
        {
            // The list has addresses without an interface.
            interfaceIndex = interfaceIndex == 0 ? (int)group.ScopeId : interfaceIndex;
            group = new IPAddress(group.GetAddressBytes());
        }

        // The list changes in the same step: a socket that replaces this one joins what is in it.
        var result = Shards[0].WithSocket(
            socket => isMember ? Join(socket, group, interfaceIndex) : Leave(socket, group, interfaceIndex));
        ObjectDisposedException.ThrowIf(Shards[0].IsClosed, this);
        SocketFailure.ThrowIfFailed(result, $"{(isMember ? "joining" : "leaving")} {group} on {LocalEndPoint}");
    }

    private SysResult Join(DatagramSocket socket, IPAddress group, int interfaceIndex)
    {
        var result = SetMembership(socket, group, interfaceIndex, isMember: true);
        if (result.Succeeded)
        {
            lock (_lock)
            {
                _groups.Add((group, interfaceIndex));
            }
        }

        return result;
    }

    private SysResult Leave(DatagramSocket socket, IPAddress group, int interfaceIndex)
    {
        var result = SetMembership(socket, group, interfaceIndex, isMember: false);
        lock (_lock)
        {
            if (result.Succeeded)
            {
                Forget(group, interfaceIndex);
                return result;
            }

            // A socket that replaced another may not have joined the group again yet.
            var isMissing = _isOutOfGroups && result.Errno == Errno.EADDRNOTAVAIL;
            return isMissing && _groups.Remove((group, interfaceIndex)) ? SysResult.FromReturn(0) : result;
        }
    }

    // The kernel has left a group: for IPv6 without an interface, the last one joined; for IPv4, on the interface of the route,
    // which is also that of a group joined without one.
    private void Forget(IPAddress group, int interfaceIndex)
    {
        var place = _groups.LastIndexOf((group, interfaceIndex));
        if (interfaceIndex == 0 && (place < 0 || group.AddressFamily == AddressFamily.InterNetworkV6))
        {
            place = _groups.FindLastIndex(joined => joined.Group.Equals(group));
        }
        else if (place < 0)
        {
            place = _groups.LastIndexOf((group, 0));
        }

        if (place >= 0)
        {
            _groups.RemoveAt(place);
        }
    }

    // Joins what the replaced socket of the first shard was a member of.
    private SysResult Rejoin(DatagramSocket socket)
    {
        lock (_lock)
        {
            RejoinAll(socket);
        }

        return SysResult.FromReturn(0);
    }

    private void RejoinAll(DatagramSocket socket)
    {
        _isOutOfGroups = false;
        foreach (var (group, interfaceIndex) in _groups)
        {
            var result = SetMembership(socket, group, interfaceIndex, isMember: true);

            // EADDRINUSE: an earlier attempt has already joined this group.
            if (!result.Succeeded && result.Errno != Errno.EADDRINUSE)
            {
                _isOutOfGroups = true;
                _opener.Report(result, FallbackCatalog.UdpMulticast, $"Joining {group} again");
            }
        }

        if (!_isOutOfGroups)
        {
            _opener.Fallbacks.End(FallbackCatalog.UdpMulticast);
        }
    }

    private static SysResult SetMembership(DatagramSocket socket, IPAddress group, int interfaceIndex, bool isMember)
    {
        if (group.AddressFamily == AddressFamily.InterNetwork)
        {
            var request = new GroupRequest4 { Interface = interfaceIndex };
            group.TryWriteBytes(request.Group, out _);
            return socket.SetStructure(
                UdpCalls.IPPROTO_IP, isMember ? UdpCalls.IP_ADD_MEMBERSHIP : UdpCalls.IP_DROP_MEMBERSHIP, request);
        }

        var request6 = new GroupRequest6 { Interface = interfaceIndex };
        group.TryWriteBytes(request6.Group, out _);
        return socket.SetStructure(
            SocketCalls.IPPROTO_IPV6, isMember ? UdpCalls.IPV6_ADD_MEMBERSHIP : UdpCalls.IPV6_DROP_MEMBERSHIP, request6);
    }

    private static bool IsMulticast(IPAddress address) => address.AddressFamily == AddressFamily.InterNetwork
        ? (address.GetAddressBytes()[0] & 0xf0) == 0xe0
        : address.IsIPv6Multicast;
}
