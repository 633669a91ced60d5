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

    public void WaitForCall() => Assert.True(_called.Wait(Wait.Limit), "The callback did not come.");

    public void WaitForHandOver() => Assert.True(_handedOver.Wait(Wait.Limit), "The hand-over did not come.");

    /// <summary>Whatever the callback uses may be disposed after this.</summary>
    public void WaitForReturn() => Assert.True(_returned.Wait(Wait.Limit), "The callback did not return.");

    protected internal override void OnReady(EventLoopEvents events)
    {
        Events.Enqueue(events);
        _called.Release();
        onReady?.Invoke(events);
        _returned.Release();
    }

    protected internal override void OnHandedOver() => _handedOver.Release();
}
