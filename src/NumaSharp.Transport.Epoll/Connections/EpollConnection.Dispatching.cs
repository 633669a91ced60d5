using NumaSharp.Transport.Epoll.Dispatching;

namespace NumaSharp.Transport.Epoll.Connections;

/// <content>
/// Where the application's code runs. That changes when it blocks the loop again and again, while so much of it blocks that
/// the loop could run out of threads, and when it answers in bursts: then it runs on the thread pool anyway, as HTTP/2's
/// streams do, and every hop between the loop's thread and the pool's costs both.
/// </content>
internal sealed partial class EpollConnection
{
    private volatile CallbackDispatcher _dispatcher;
    private StallRecord? _stalls;

    /// <summary>Decides where the application runs. May change at any time: read it once for one decision.</summary>
    public CallbackDispatcher Dispatcher => _dispatcher;

    /// <summary>
    /// Whether the application's code belongs on the calling thread: its loop's, or a worker of its dispatcher.
    /// </summary>
    public bool IsAtHome => IsHome(_dispatcher);

    /// <summary>
    /// Whether a flush may wait for the end of the callback. On the loop's holder always: a callback that blocks loses the
    /// loop, and the cork with it. A worker nobody watches for that, so only while there are more pipelined requests in hand.
    /// </summary>
    public bool MayCork => _dispatcher.IsInline ? Shard.Loop.IsHeldByCurrentThread : _input.HasBytes;

    /// <summary>A callback of the connection has cost its thread the loop. Called by the loop's new holder.</summary>
    public void OnHandedOver()
    {
        if (Shard.Demoted is { } demoted && (_stalls ??= new StallRecord(Shard.Time)).OnHandedOver())
        {
            _dispatcher = demoted;
            Shard.Counters.OnDemoted();
        }
    }

    /// <summary>
    /// On the loop, before a callback: a connection may leave it, and one that was kept off it may come back. While too many of
    /// the loop's threads are blocked, every connection leaves.
    /// </summary>
    public void ReconsiderDispatch()
    {
        var current = _dispatcher;
        if (Shard.Demoted is { } demoted && !Shard.Loop.MayBlock)
        {
            if (current == Shard.Dispatcher && TryChange(current, demoted))
            {
                Shard.Counters.OnDemoted();
            }
        }
        else if (current == Shard.Dispatcher)
        {
            if (_output.ExpectsBursts && Shard.Bursts is { } bursts)
            {
                TryChange(current, bursts);
            }
        }
        else if (current == Shard.Bursts ? _output.HasForgottenBursts : MayComeBack())
        {
            TryChange(current, Shard.Dispatcher);
        }
    }

    // From the workers, where it went for its own hand-overs or for those of others.
    private bool MayComeBack() => _stalls is not { IsDemoted: true } stalls || stalls.TryEndStay();

    // A thread that is late here must not undo what its successor has decided because of it.
    private bool TryChange(CallbackDispatcher current, CallbackDispatcher next) =>
        Interlocked.CompareExchange(ref _dispatcher, next, current) == current;

    private bool IsHome(CallbackDispatcher dispatcher) =>
        dispatcher.IsInline ? Shard.Loop.IsHeldByCurrentThread : dispatcher.IsHome;
}
