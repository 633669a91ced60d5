using System.Collections.Immutable;
using NumaSharp.Core;

namespace NumaSharp.EventLoop;

/// <summary>
/// Passes on what happens to a group's loops: what concerns a handler to its component, or, if it has none, to the group's
/// options or any one component; what concerns a loop to all of them. Neither a loop nor the watchdog waits for it. Thread-safe.
/// </summary>
internal sealed class LoopReports(NumaEventLoopGroupOptions options)
{
    private ImmutableArray<LoopUser> _users = [];

    public void Add(LoopUser user) => ImmutableInterlocked.Update(ref _users, static (users, it) => users.Add(it), user);

    public void Remove(LoopUser user) => ImmutableInterlocked.Update(ref _users, static (users, it) => users.Remove(it), user);

    /// <summary>Whether exceptions of the handler are reported; otherwise they end the process.</summary>
    public bool Catches(EventLoopHandler handler) => UnhandledOf(handler) is not null;

    public void OnUnhandled(EventLoopHandler handler, Exception exception)
    {
        if (UnhandledOf(handler) is { } callback)
        {
            Outbox.Instance.Post(() => callback(exception));
        }
    }

    public void OnHandedOver(NumaEventLoop loop, EventLoopHandler? handler) =>
        Post(handler?.User?.HandedOver ?? options.HandedOver ?? Any?.HandedOver, loop, handler);

    public void OnFailed(NumaEventLoop loop, NumaException exception)
    {
        Post(options.Failed, loop, exception);
        foreach (var user in _users)
        {
            Post(user.Failed, loop, exception);
        }
    }

    /// <summary>Whether <see cref="OnStuck"/> reaches anything.</summary>
    public bool WantsStuck => options.Stuck is not null || Any is not null;

    public void OnStuck(NumaEventLoopStall stall)
    {
        if ((stall.Handler?.User?.Stuck ?? options.Stuck ?? Any?.Stuck) is { } callback)
        {
            Outbox.Instance.Post(() => callback(stall));
        }
    }

    public void OnResumed(NumaEventLoop loop, TimeSpan duration)
    {
        Post(options.Resumed, loop, duration);
        foreach (var user in _users)
        {
            Post(user.Resumed, loop, duration);
        }
    }

    // Handlers of the application's own name no component, and between callbacks there is no handler.
    private LoopUser? Any => _users is [var first, ..] ? first : null;

    private Action<Exception>? UnhandledOf(EventLoopHandler handler) =>
        handler.User?.UnhandledException ?? options.UnhandledException ?? Any?.UnhandledException;

    private static void Post<T>(Action<NumaEventLoop, T>? callback, NumaEventLoop loop, T argument)
    {
        if (callback is not null)
        {
            Outbox.Instance.Post(() => callback(loop, argument));
        }
    }
}

/// <summary>
/// A component with handlers on a group's loops, and what it receives: reports of its own handlers and of the loops.
/// Called by the outbox's thread, one call at a time.
/// </summary>
internal sealed class LoopUser
{
    /// <summary>
    /// Whether its callbacks may lose the loop to another thread. Not if they never block, or may only run on the loop.
    /// </summary>
    public bool AllowsHandOver { get; init; } = true;

    /// <summary>As <see cref="NumaEventLoopGroupOptions.UnhandledException"/>, for the component's handlers.</summary>
    public required Action<Exception> UnhandledException { get; init; }

    /// <summary>As <see cref="NumaEventLoopGroupOptions.HandedOver"/>, for the component's handlers.</summary>
    public required Action<NumaEventLoop, EventLoopHandler?> HandedOver { get; init; }

    /// <summary>As <see cref="NumaEventLoopGroupOptions.Failed"/>.</summary>
    public required Action<NumaEventLoop, NumaException> Failed { get; init; }

    /// <summary>As <see cref="NumaEventLoopGroupOptions.Stuck"/>, for the component's handlers.</summary>
    public required Action<NumaEventLoopStall> Stuck { get; init; }

    /// <summary>As <see cref="NumaEventLoopGroupOptions.Resumed"/>, also for loops that other components blocked.</summary>
    public required Action<NumaEventLoop, TimeSpan> Resumed { get; init; }
}
