using System.Diagnostics;
using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <summary>
/// Hands over a loop when its holder stays in a callback. Checks the loops with an expired alarm, and counts checks, not time: a
/// pause of the whole process (garbage collection, a stopped virtual machine) is one check, not a stall; and a holder that only
/// waits for a CPU is not late: a successor would wait for the same one. Sleeps while no loop runs.
/// </summary>
internal sealed class StallWatchdog : IDisposable
{
    /// <summary>Within how many thresholds it hands over a loop, if it has a CPU: a far check, then the close ones.</summary>
    public const int MostThresholds = (FarPeriods + LateLooks) / 2;

    // A callback is late when two checks in a row find the baton word unchanged.
    private const int LateLooks = 2;

    // The first check of a loop, and each check of one that always runs, is at most this many close periods away: 2 to 4 ms for a
    // threshold of a millisecond; one that finds a callback is followed by a close one. A check wakes a thread, 10 to 15
    // microseconds in a virtual machine. And a timer due before the next tick of the kernel (4 ms) makes the kernel set the
    // hardware's, and set it back: 16 microseconds for each time that the loop wakes up; a later one costs 2 (decision 4).
    private const int FarPeriods = 8;

    private const ulong Bell = ulong.MaxValue;

    private readonly NumaEventLoop[] _loops;
    private readonly StallAlarm[] _alarms;
    private readonly Seen[] _seen;
    private readonly ThreadProgress? _given;
    private readonly ClaimedFallback? _polls;
    private readonly Thread _thread;
    private readonly EpollHandle _epoll;
    private readonly EventFdHandle _bell;
    private readonly EpollEventBuffer _events;
    private volatile Watch _watch;
    private volatile bool _isPolling;
    private volatile bool _stopping;

    /// <exception cref="NumaException">The system gives no epoll instance, eventfd or timer.</exception>
    public StallWatchdog(
        NumaEventLoop[] loops, TimeSpan stallThreshold, ThreadProgress? progress = null, NumaFallbacks? fallbacks = null)
    {
        _polls = fallbacks is null ? null : new ClaimedFallback(fallbacks, FallbackCatalog.LoopWatchdog, nodeId: null);
        _loops = loops;
        _alarms = new StallAlarm[loops.Length];
        _seen = new Seen[loops.Length];
        _given = progress;
        _watch = new Watch(stallThreshold, progress);
        _thread = new Thread(Run) { IsBackground = true, Name = "numa-watchdog" };
        _events = new EpollEventBuffer(loops.Length + 1);
        try
        {
            EpollHandle.Create(out var epoll).ThrowIfFailed("epoll_create1");
            _epoll = epoll!;
            EventFdHandle.Create(out var bell).ThrowIfFailed("eventfd");
            _bell = bell!;
            _epoll.Add(_bell, Native.EPOLLIN | Native.EPOLLET, Bell).ThrowIfFailed("epoll_ctl(EPOLL_CTL_ADD)");
            for (var i = 0; i < loops.Length; i++)
            {
                TimerFdHandle.Create(out var timer).ThrowIfFailed("timerfd_create");
                _alarms[i] = new StallAlarm(this, timer!);
                _epoll.Add(timer!, Native.EPOLLIN | Native.EPOLLET, (ulong)i).ThrowIfFailed("epoll_ctl(EPOLL_CTL_ADD)");
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public bool IsCurrentThread => Thread.CurrentThread == _thread;

    /// <summary>
    /// The time between the checks that decide whether a callback is late, in ticks of <see cref="Stopwatch"/>.
    /// </summary>
    public long ClosePeriod => _watch.Close;

    /// <exception cref="NumaException">The system has no thread for it.</exception>
    public void Start()
    {
        try
        {
            SystemThread.Start(_thread);
        }
        catch (OutOfMemoryException exception)
        {
            throw new NumaException(
                "The watchdog of the event loops has no thread: the system has no more threads, memory or descriptors for this "
                + "process. Raise the limits of processes (ulimit -u, pids.max) and descriptors (ulimit -n).",
                exception);
        }
    }

    /// <summary>The alarm of a loop; it may be used even when the watchdog has ended.</summary>
    public StallAlarm AlarmOf(int loop) => _alarms[loop];

    /// <summary>Changes the threshold, also for timers that were set by the old one.</summary>
    public void SetStallThreshold(TimeSpan stallThreshold)
    {
        _watch = new Watch(stallThreshold, _given);

        // A thread that sets a timer checks afterwards that it used the latest threshold. Timers set before that are covered by
        // the watchdog, which sets all alarms that are on.
        Interlocked.MemoryBarrier();
        Ring();
    }

    /// <summary>
    /// Sets the timer of an alarm that is on, by the latest threshold. Called by the loop's holder and the watchdog.
    /// </summary>
    /// <param name="alarm">The alarm.</param>
    /// <param name="now">The time, one for all loops of a check, so that they share the next check.</param>
    /// <param name="isClose">True: half a threshold away; false: as far as for a loop that always runs.</param>
    public void Set(StallAlarm alarm, long now, bool isClose)
    {
        Watch watch;
        do
        {
            watch = _watch;
            var result = alarm.Timer.Set(isClose ? now + watch.Close : watch.FarFrom(now));
            if (!result.Succeeded)
            {
                Poll("timerfd_settime", result);
            }
        }
        while (!ReferenceEquals(watch, _watch));
    }

    /// <summary>Ends the thread, and waits for it. Loops may still use their alarms.</summary>
    public void Stop(Deadline end)
    {
        _stopping = true;
        Ring();
        _thread.Join(end.Left);
    }

    /// <summary>For a watchdog that was not started. A started one frees its resources when its thread ends.</summary>
    public void Dispose()
    {
        for (var i = 0; i < _alarms.Length && _alarms[i] is { } alarm; i++)
        {
            alarm.Timer.Release(IsOurs(alarm.Timer, (ulong)i));
        }

        var isOurs = IsOurs(_bell, Bell);
        _bell?.Release(isOurs);
        _epoll?.Release(isOurs);
        _events.Dispose();
        _polls?.End();
    }

    // Not pinned: it must be able to run beside a callback that spins.
    private void Run()
    {
        while (!_stopping)
        {
            var count = Wait();
            var now = Stopwatch.GetTimestamp();
            if (_isPolling)
            {
                LookAtAll(now);
                continue;
            }

            for (var i = 0; i < count; i++)
            {
                _events.Read(i, out _, out var data);
                if (data == Bell)
                {
                    SetAll(now);
                }
                else if (data < (ulong)_loops.Length)
                {
                    Look((int)data, now);
                }
                else
                {
                    // Our number now belongs to another instance.
                    Poll("epoll_wait", SysResult.FromErrno(Errno.EBADF));
                }
            }
        }

        Dispose();
    }

    private int Wait()
    {
        if (_isPolling)
        {
            Native.Nanosleep(Stopwatch.GetElapsedTime(0, ClosePeriod));
            return 0;
        }

        var result = _epoll.Wait(_events, Timeout.Infinite);
        if (!result.Succeeded)
        {
            Poll("epoll_wait", result);
        }

        return result.Succeeded ? (int)result.Value : 0;
    }

    // Other code has closed a descriptor of ours. Polling replaces the timers.
    private void Poll(string call, SysResult result)
    {
        if (!_isPolling)
        {
            _isPolling = true;
            _polls?.Report(
                $"The watchdog of the event loops lost a descriptor ({call}: {result.ErrorName}): something in the process "
                + "closed it. The watchdog polls instead, twice per stall threshold.");
            Ring();
        }
    }

    private void Ring()
    {
        if (!_bell.Signal().Succeeded)
        {
            // Other code has closed it. Expire all timers: any that is not canceled at this moment wakes the watchdog as well.
            foreach (var alarm in _alarms)
            {
                _ = alarm.Timer.Set(1);
            }
        }
    }

    private bool IsOurs(FileDescriptorHandle member, ulong data) =>
        !_isPolling || _epoll.Has(member, Native.EPOLLIN | Native.EPOLLET, data);

    private void LookAtAll(long now)
    {
        for (var i = 0; i < _loops.Length; i++)
        {
            Look(i, now);
        }
    }

    private void SetAll(long now)
    {
        foreach (var alarm in _alarms)
        {
            if (alarm.IsOn)
            {
                Set(alarm, now, isClose: true);
            }
        }
    }

    private void Look(int index, long now)
    {
        var (loop, alarm) = (_loops[index], _alarms[index]);
        if (!alarm.IsOn)
        {
            // It went to sleep while the timer expired.
            return;
        }

        ref var seen = ref _seen[index];
        var word = loop.BatonWord;
        var isInCallback = LoopBaton.IsInCallback(word);
        if (isInCallback && word == seen.Word)
        {
            HandOverWhenLate(loop, ref seen);
            Set(alarm, now, isClose: loop.MayLoseCallback);
            return;
        }

        // Fewer callbacks than checks: setting the timer for each costs the loop less than being checked.
        var isQuiet = ((word - seen.Word) >> 1) * ClosePeriod < now - seen.At;
        seen = new Seen { Word = word, At = now };
        if (!isQuiet || !loop.IsAsleep)
        {
            Set(alarm, now, isClose: isQuiet || isInCallback);
        }
        else if (alarm.TryTurnOff() && (!loop.IsAsleep || loop.BatonWord != word) && alarm.TryTurnOn())
        {
            // It woke up before it could see that the alarm is off: the exchange is the fence between.
            Set(alarm, now, isClose: true);
        }
    }

    // While the word is unchanged, so is the holder.
    private void HandOverWhenLate(NumaEventLoop loop, ref Seen seen)
    {
        var progress = _watch.Progress;
        var holder = loop.HolderKernelId;
        if (++seen.Unchanged < LateLooks)
        {
            seen.CpuTime = progress.Begin(holder);
        }
        else if (progress.IsLate(holder, seen.CpuTime) && loop.TryHandOver(seen.Word))
        {
            seen = new Seen { Word = seen.Word + 1, At = seen.At };
        }
    }

    /// <summary>The values derived from a threshold. Immutable.</summary>
    private sealed class Watch(TimeSpan stallThreshold, ThreadProgress? progress)
    {
        public long Close { get; } = (long)((stallThreshold / 2).TotalSeconds * Stopwatch.Frequency);

        public ThreadProgress Progress { get; } = progress ?? new KernelThreadProgress(stallThreshold / 2);

        /// <summary>The same for all loops, whenever each was last checked: one expiry, and one check of all.</summary>
        public long FarFrom(long now)
        {
            var period = Close * FarPeriods / 2;
            return ((now / period) + 2) * period;
        }
    }

    private struct Seen
    {
        public long Word;
        public long At;
        public int Unchanged;

        /// <summary>The CPU time that the holder had used when the word was first found unchanged.</summary>
        public TimeSpan? CpuTime;
    }
}
