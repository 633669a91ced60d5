using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Dispatching;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>What the connections of one loop share. Immutable.</summary>
/// <param name="Loop">The loop.</param>
/// <param name="Pool">The pool of its node.</param>
/// <param name="Options">How the transport behaves.</param>
/// <param name="Dispatcher">Runs the application.</param>
/// <param name="Demoted">
/// Runs it for connections that cost the loop its thread again and again; <see langword="null"/> where none can.
/// </param>
/// <param name="Bursts">
/// Runs it for connections that answer in bursts; <see langword="null"/> where it runs there anyway.
/// </param>
/// <param name="Counters">What happens on the loop.</param>
/// <param name="CrossNode">Tells where packets came in; <see langword="null"/> on one node.</param>
/// <param name="Log">The transport's events.</param>
/// <param name="ConnectionLog">What happens to single connections.</param>
/// <param name="Time">How long such connections are kept off the loop.</param>
/// <param name="Sweep">Takes large blocks from connections that only wait.</param>
/// <param name="ConnectionClosed">Called when a connection has ended.</param>
internal sealed record ListenerShard(
    NumaEventLoop Loop,
    NumaMemoryPool Pool,
    EpollTransportOptions Options,
    CallbackDispatcher Dispatcher,
    CallbackDispatcher? Demoted,
    CallbackDispatcher? Bursts,
    LoopCounters Counters,
    CrossNodeSampling? CrossNode,
    EpollTransportLog Log,
    ConnectionLog ConnectionLog,
    TimeProvider Time,
    LargeBlockSweep Sweep,
    Action ConnectionClosed)
{
    public void OnConnectionClosed()
    {
        Counters.OnClosed();
        ConnectionClosed();
    }
}
