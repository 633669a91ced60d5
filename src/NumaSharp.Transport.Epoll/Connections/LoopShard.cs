using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Transport.Epoll.Dispatching;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>State shared by the connections of one loop. Immutable.</summary>
/// <param name="Loop">The loop.</param>
/// <param name="User">The transport, as the loop knows it.</param>
/// <param name="Pool">Its node's pool.</param>
/// <param name="Options">The transport's options.</param>
/// <param name="Dispatcher">Runs the application.</param>
/// <param name="Demoted">
/// Runs it for connections that repeatedly block the loop's thread; <see langword="null"/> where none can.
/// </param>
/// <param name="Bursts">
/// Runs it for connections that respond in bursts; <see langword="null"/> where it runs there anyway.
/// </param>
/// <param name="Counters">The loop's counters.</param>
/// <param name="CrossNode">Finds the node that received packets; <see langword="null"/> on one node.</param>
/// <param name="Log">The transport's events.</param>
/// <param name="ConnectionLog">The events of single connections.</param>
/// <param name="Time">The clock.</param>
/// <param name="Sweep">Takes large blocks from connections that only wait.</param>
/// <param name="ConnectionClosed">Called when a connection has ended.</param>
internal sealed record LoopShard(
    NumaEventLoop Loop,
    LoopUser User,
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
