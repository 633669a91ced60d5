using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Transport.Epoll.Dispatching;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>What the connections of one loop share. Immutable.</summary>
internal sealed record ListenerShard(
    NumaEventLoop Loop,
    NumaMemoryPool Pool,
    EpollTransportOptions Options,
    CallbackDispatcher Dispatcher,
    LoopCounters Counters,
    EpollTransportLog Log,
    Action ConnectionClosed)
{
    public void OnConnectionClosed()
    {
        Counters.OnClosed();
        ConnectionClosed();
    }
}
