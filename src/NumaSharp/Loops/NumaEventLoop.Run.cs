using System.Diagnostics;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <content>
/// State that only the holder touches, and the steps it runs. Everything that a successor needs is a field: the batch of events
/// and the position in it, the posts taken, the running handler. A thread that has lost the baton touches none of it.
/// </content>
public sealed partial class NumaEventLoop
{
    private const int Awake = 0;
    private const int Asleep = 1;

    private readonly EpollEventBuffer _events;
    private LoopBaton _baton;
    private PostQueue _posts;
    private LoopThread? _holder;
    private EventLoopHandler? _running;
    private EventLoopHandler? _taken;
    private int _eventIndex;
    private int _eventCount;
    private int _sleepState;
    private volatile bool _stopping;
    private StallWatchdog? _watchdog;
    private StallAlarm? _alarm;

    /// <summary>
    /// Whether the loop, held by the calling thread, has more events to handle before its posts, for up to a millisecond: a
    /// callback's post is then possibly one of several. A hint, as <see cref="IsHeldByCurrentThread"/> is.
    /// </summary>
    public bool HasMoreEvents => IsHeldByCurrentThread && _eventIndex < _eventCount;

    /// <summary>The longest time, plus one callback, that posts wait behind other events.</summary>
    internal TimeSpan LongestRound { get; set; } = TimeSpan.FromMilliseconds(1);

    internal bool IsAsleep => Volatile.Read(ref _sleepState) == Asleep;

    internal long BatonWord => _baton.Word;

    /// <summary>The kernel id of the holder's thread. For the watchdog: during a callback only it changes the holder.</summary>
    internal int HolderKernelId => _holder!.KernelId;

    /// <summary>
    /// Runs the loop if the calling thread was given it, until the baton is lost or the loop stops; the thread has left it then.
    /// </summary>
    internal void RunAsHolder(LoopThread me)
    {
        if (!ReferenceEquals(Volatile.Read(ref _holder), me))
        {
            // Woken for something else, perhaps before the watchdog has named it.
            return;
        }

        if (!_stopping)
        {
            AssertHeld(me);
            FinishHandOver();
        }

        while (!_stopping)
        {
            me.FollowPlacement();
            AssertHeld(me);
            if (_restart is { } restart && RestartOn(me, restart))
            {
                return;
            }

            if (!DispatchEvents() || !DispatchPosts())
            {
                LeaveLate(me);
                return;
            }

            if (_eventIndex == _eventCount)
            {
                WaitForEvents(me);
            }
        }

        Leave(me);
    }

    // Rules 1 and 2 of the README: before anything that only the holder touches, which is never done within a callback.
    [Conditional("DEBUG")]
    private void AssertHeld(LoopThread? me)
    {
        Debug.Assert(me is { IsCurrent: true }, "A loop is run by one of its threads.");
        Debug.Assert(ReferenceEquals(_holder, me), "Only the holder touches what a successor needs.");
        Debug.Assert(!LoopBaton.IsInCallback(_baton.Word), "Within a callback the loop can be another's at any time.");
    }

    // The last holder is late in this handler's callback: what it deferred until its return must not wait for that.
    private void FinishHandOver()
    {
        if (_running is { } late)
        {
            _running = null;
            try
            {
                late.OnHandedOver();
            }
            catch (Exception exception) when (_reports.Catches(late))
            {
                _reports.OnUnhandled(late, exception);
            }
        }
    }

    private bool DispatchEvents()
    {
        // With one event, as under little load, there is no reason to look at the clock.
        var start = _eventCount - _eventIndex > 1 ? Stopwatch.GetTimestamp() : 0;
        while (_eventIndex < _eventCount)
        {
            _events.Read(_eventIndex++, out var events, out var data);
            if (_handlers.Find(data) is { } handler && !Invoke(handler, (EventLoopEvents)events))
            {
                return false;
            }

            if (start != 0 && !_posts.IsEmpty && Stopwatch.GetElapsedTime(start) >= LongestRound)
            {
                break;
            }
        }

        return true;
    }

    // One round of posts for every round of events: handlers that post themselves again do not starve the sockets.
    private bool DispatchPosts()
    {
        _taken ??= _posts.TakeAll();
        while (_taken is { } handler)
        {
            _taken = handler.NextPosted;

            // Otherwise an idle handler would keep alive the one that was posted after it, and all that follow.
            handler.NextPosted = null;
            handler.MarkTaken();
            if (!Invoke(handler, EventLoopEvents.Posted))
            {
                return false;
            }
        }

        return true;
    }

    private bool Invoke(EventLoopHandler handler, EventLoopEvents events)
    {
        AssertHeld(LoopThread.Current);
        if (_alarm is { IsOn: false } alarm && handler.AllowsHandOver)
        {
            alarm.TurnOn();
        }

        _running = handler;
        var word = _baton.Enter();
        try
        {
            handler.OnReady(events);
        }
        catch (Exception exception) when (_reports.Catches(handler))
        {
            // A loop serves many connections: one handler's fault is reported and must not end it.
            _reports.OnUnhandled(handler, exception);
        }

        if (!_baton.TryLeave(word))
        {
            return false;
        }

        AssertHeld(LoopThread.Current);
        _running = null;
        return true;
    }

    // Dekker's handshake with Post and Place: announce the sleep, full fence, check again. A poster pushes (a full fence) and
    // then checks whether the loop sleeps; at least one of the two sees the other.
    private void WaitForEvents(LoopThread me)
    {
        AssertHeld(me);
        me.Reset();
        _eventIndex = _eventCount = 0;
        Interlocked.Exchange(ref _sleepState, Asleep);
        var maySleep = _posts.IsEmpty && !_stopping && _restart is null && IsServing && me.IsPlaced;
        if (maySleep)
        {
            _alarm?.OnAsleep();
        }

        var result = _epoll.Wait(_events, maySleep ? Timeout.Infinite : 0);
        Interlocked.Exchange(ref _sleepState, Awake);
        if (result.Succeeded)
        {
            _eventCount = (int)result.Value;
            _failures = 0;
        }
        else
        {
            OnWaitFailed(result);
        }
    }

    private void WakeIfAsleep()
    {
        if (IsAsleep && Interlocked.CompareExchange(ref _sleepState, Awake, Asleep) == Asleep)
        {
            Ring();
        }
    }
}
