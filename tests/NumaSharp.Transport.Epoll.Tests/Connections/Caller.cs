using NumaSharp.EventLoop;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>Posted to a loop, calls something there.</summary>
internal sealed class Caller(Action action, LoopUser? user = null) : EventLoopHandler
{
    internal override LoopUser? User => user;

    protected internal override void OnReady(EventLoopEvents events) => action();
}
