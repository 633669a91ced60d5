using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <content>
/// Rebuilds a loop: on the holder, between callbacks, keeping everything that is registered and posted. A new epoll instance
/// reports what is ready when a descriptor is added to it, so no event is lost.
/// </content>
public sealed partial class NumaEventLoop
{
    // The longest pause between retries, after repeated failures: 64 ms.
    private const int LongestPauseLog2Milliseconds = 6;

    private volatile TaskCompletionSource? _restart;
    private volatile int _failures;
    private long _restarts;

    /// <summary>How often the loop was rebuilt, after a failure or by <see cref="RestartAsync"/>.</summary>
    public long Restarts => Volatile.Read(ref _restarts);

    /// <summary>
    /// False from a failed epoll_wait(2) until one succeeds. The loop rebuilds itself and retries after at most 64 ms.
    /// </summary>
    public bool IsServing => _failures == 0;

    /// <summary>
    /// Rebuilds the loop: epoll instance and threads. It happens when the running callback has returned; registrations and posts
    /// are kept. Calls made while a restart is pending share it.
    /// </summary>
    /// <param name="cancellationToken">Cancels the wait, not the restart.</param>
    /// <exception cref="NumaException">
    /// No descriptors, memory or threads are left: the loop continues with what it has.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The loop is stopping.</exception>
    public Task RestartAsync(CancellationToken cancellationToken = default)
    {
        var wanted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        wanted = Interlocked.CompareExchange(ref _restart, wanted, null) ?? wanted;
        if (_stopping)
        {
            EndRestart();
        }

        // The exchange is the full fence of WaitForEvents' handshake.
        WakeIfAsleep();
        return wanted.Task.WaitAsync(cancellationToken);
    }

    // True: another thread has taken the loop over.
    private bool RestartOn(LoopThread me, TaskCompletionSource restart)
    {
        AssertHeld(me);
        _restart = null;
        var result = Rebuild(isSuspect: false);
        if (!result.Succeeded)
        {
            restart.TrySetException(new NumaException("epoll_create1", NumaResults.From(result)));
            return false;
        }

        Interlocked.Increment(ref _threadCount);
        if (_threads.TryStart(this) is not { } successor)
        {
            Interlocked.Decrement(ref _threadCount);
            restart.TrySetException(new NumaException(
                $"Loop {Index} of node {NodeId} was not restarted: no new thread could be started for it."));
            return false;
        }

        _threads.RetireSpares();
        _threads.EnsureSpare();
        Volatile.Write(ref _holder, successor);
        successor.Unpark();
        Leave(me);
        me.TryEnd();
        restart.TrySetResult();
        return true;
    }

    private void OnWaitFailed(SysResult result)
    {
        if (_failures++ == 0)
        {
            ReportFailure("epoll_wait", result);
        }

        var repaired = Rebuild(isSuspect: true);
        if (!repaired.Succeeded || _failures > 1)
        {
            Native.Nanosleep(TimeSpan.FromMilliseconds(1 << Math.Min(_failures, LongestPauseLog2Milliseconds)));
        }
    }

    // On the holder's thread, outside of callbacks.
    private SysResult Rebuild(bool isSuspect)
    {
        List<(EventLoopHandler Handler, SysResult Result)> lost = [];
        lock (_registrations)
        {
            // An instance that has not failed is still the loop's own.
            var isOurs = !isSuspect || HasDoorbell();
            var result = EpollHandle.Create(out var epoll);
            if (!result.Succeeded)
            {
                return result;
            }

            result = epoll!.Add(_doorbell, Native.EPOLLIN | Native.EPOLLET, HandlerTable.WakeSlot);
            EventFdHandle? doorbell = null;
            if (!result.Succeeded && !(result = AddDoorbell(epoll, Native.EPOLLIN, out doorbell)).Succeeded)
            {
                epoll.Dispose();
                return result;
            }

            foreach (var (handler, descriptor, interest, data) in _handlers.Snapshot())
            {
                var added = epoll.Add(descriptor, interest, data);
                if (!added.Succeeded && _handlers.Remove(handler))
                {
                    lost.Add((handler, added));
                }
            }

            _epoll.Release(isOurs);
            Volatile.Write(ref _epoll, epoll);
            if (doorbell is not null)
            {
                _doorbell.SetHandleAsInvalid();
                Volatile.Write(ref _doorbell, doorbell);
            }
        }

        OnRebuilt(lost);
        return default;
    }

    private void OnRebuilt(List<(EventLoopHandler Handler, SysResult Result)> lost)
    {
        SetBusyPoll();
        Interlocked.Increment(ref _restarts);
        lost.ForEach(it => NotifyUnwatched(it.Handler, it.Result));
    }

    private bool HasDoorbell() => _epoll.Has(_doorbell, Native.EPOLLIN | Native.EPOLLET, HandlerTable.WakeSlot);

    private void NotifyUnwatched(EventLoopHandler handler, SysResult result)
    {
        try
        {
            handler.OnUnwatched(new NumaException("epoll_ctl(EPOLL_CTL_ADD)", NumaResults.From(result)));
        }
        catch (Exception exception) when (_reports.Catches(handler))
        {
            _reports.OnUnhandled(handler, exception);
        }
    }

    // A doorbell that cannot be rung is replaced by one watched for EPOLLOUT, too, which is an event as soon as it is added.
    private void Ring()
    {
        var rung = Volatile.Read(ref _doorbell);
        var result = rung.Signal();
        if (result.Succeeded)
        {
            return;
        }

        lock (_registrations)
        {
            if (ReferenceEquals(rung, _doorbell))
            {
                var isOurs = HasDoorbell();
                var replaced = AddDoorbell(_epoll, Native.EPOLLIN | Native.EPOLLOUT, out var doorbell);
                if (!replaced.Succeeded)
                {
                    // The next post tries again.
                    Interlocked.Exchange(ref _sleepState, Asleep);
                    ReportFailure("eventfd", replaced);
                    return;
                }

                rung.Release(isOurs);
                Volatile.Write(ref _doorbell, doorbell!);
            }
        }

        ReportFailure("write", result);
    }

    private static SysResult AddDoorbell(EpollHandle epoll, uint events, out EventFdHandle? doorbell)
    {
        var result = EventFdHandle.Create(out doorbell);
        if (result.Succeeded)
        {
            result = epoll.Add(doorbell!, events | Native.EPOLLET, HandlerTable.WakeSlot);
            if (!result.Succeeded)
            {
                doorbell!.Dispose();
            }
        }

        return result;
    }

    private void ReportFailure(string call, SysResult result) =>
        _reports.OnFailed(this, new NumaException(call, NumaResults.From(result)));

    private void EndRestart() =>
        Interlocked.Exchange(ref _restart, null)?.TrySetException(new ObjectDisposedException(nameof(NumaEventLoop)));
}
