using NumaSharp.Transport.Epoll.Dispatching;

namespace NumaSharp.Transport.Epoll.Connections;

/// <content>
/// Where application code runs. A connection leaves the loop if its callbacks block it repeatedly, while so many callbacks block
/// that the loop could run out of threads, and if it responds in bursts: HTTP/2 streams run on the thread pool anyway, and each
/// hop between the loop's thread and the pool costs both.
/// </content>
internal sealed partial class EpollConnection
{
    private volatile CallbackDispatcher _dispatcher;
    private StallRecord? _stalls;

    /// <summary>Decides where the application runs. May change at any time: read it once per decision.</summary>
    public CallbackDispatcher Dispatcher => _dispatcher;

    /// <summary>
    /// Whether the application's code belongs on the calling thread: its loop's, or a worker of its dispatcher.
    /// </summary>
    public bool IsAtHome => IsHome(_dispatcher);

    /// <summary>
    /// Whether a flush may wait for the end of the callback. Always on the loop's holder: a blocking callback loses the loop, and
    /// the cork with it. No watchdog covers a worker, so there only while more pipelined requests are buffered.
    /// </summary>
    public bool MayCork => _dispatcher.IsInline ? Shard.Loop.IsHeldByCurrentThread : _input.HasBytes;

    /// <summary>A callback of the connection blocked and lost the loop. Called by the loop's new holder.</summary>
    public void OnHandedOver()
    {
        if (Shard.Demoted is { } demoted && (_stalls ??= new StallRecord(Shard.Time)).OnHandedOver())
        {
            _dispatcher = demoted;
            Shard.Counters.OnDemoted();
        }
    }

    /// <summary>
    /// On the loop, before a callback: moves the connection off the loop or back to it. While too many of the loop's threads are
    /// blocked, every connection leaves.
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

    // Back from the workers, where the connection went because of its own hand-overs or those of others.
    private bool MayComeBack() => _stalls is not { IsDemoted: true } stalls || stalls.TryEndStay();

    // A late thread must not undo the decision that its successor took because of it.
    private bool TryChange(CallbackDispatcher current, CallbackDispatcher next) =>
        Interlocked.CompareExchange(ref _dispatcher, next, current) == current;

    private bool IsHome(CallbackDispatcher dispatcher) =>
        dispatcher.IsInline ? Shard.Loop.IsHeldByCurrentThread : dispatcher.IsHome;
}
