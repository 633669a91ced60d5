using System.Collections.Concurrent;
using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

/// <summary>Remembers its callbacks, and does in them what the test says.</summary>
internal sealed class RecordingHandler(Action<EventLoopEvents>? onReady = null) : EventLoopHandler
{
    private readonly SemaphoreSlim _called = new(0);
    private readonly SemaphoreSlim _handedOver = new(0);
    private readonly SemaphoreSlim _returned = new(0);

    public ConcurrentQueue<EventLoopEvents> Events { get; } = new();

    public void WaitForCall() => Wait.For(_called, "the callback");

    public void WaitForHandOver() => Wait.For(_handedOver, "the hand-over");

    /// <summary>Whatever the callback uses may be disposed after this.</summary>
    public void WaitForReturn() => Wait.For(_returned, "the return of the callback");

    protected internal override void OnReady(EventLoopEvents events)
    {
        Events.Enqueue(events);
        _called.Release();
        onReady?.Invoke(events);
        _returned.Release();
    }

    protected internal override void OnHandedOver() => _handedOver.Release();
}
