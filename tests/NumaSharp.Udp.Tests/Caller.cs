using NumaSharp.EventLoop;

namespace NumaSharp.Udp.Tests;

/// <summary>Posted to a loop, calls something there.</summary>
internal sealed class Caller(Action action) : EventLoopHandler
{
    /// <summary>Returns when the loop has run what was posted to it before.</summary>
    public static void WaitFor(NumaEventLoop loop)
    {
        using var called = new ManualResetEvent(initialState: false);
        loop.Post(new Caller(() => called.Set()));
        Wait.For(called);
    }

    protected internal override void OnReady(EventLoopEvents events) => action();
}
