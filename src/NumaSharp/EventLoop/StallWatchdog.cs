using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <summary>
/// Samples one word per loop and hands over the loops whose holder stays in a callback. Counts samples, not time: a pause of
/// the whole process (garbage collection, a stopped virtual machine) is one sample, not a stall; and a holder that only waits
/// for a CPU is not late: a successor would wait for the same one. Parks when no loop runs.
/// </summary>
internal sealed class StallWatchdog
{
    // A callback is late when two samples in a row have found it unchanged.
    private const int LateSamples = 2;

    // Samples without anything running. A sample costs a wake-up, and so does unparking: whoever waits until the samples have
    // cost a few of them never pays much more than whoever knows the future.
    private const int IdleSamples = 8;

    // Stop ends longer sleeps; shorter ones are more exact without a semaphore.
    private static readonly TimeSpan s_longSleep = TimeSpan.FromMilliseconds(50);

    private readonly NumaEventLoop[] _loops;
    private readonly Seen[] _seen;
    private readonly ThreadProgress? _given;
    private readonly Thread _thread;
    private readonly SemaphoreSlim _unpark = new(0);
    private volatile Watch _next;
    private Watch _watch;
    private int _parked;
    private volatile bool _stopping;

    public StallWatchdog(NumaEventLoop[] loops, TimeSpan stallThreshold, ThreadProgress? progress = null)
    {
        _loops = loops;
        _seen = new Seen[loops.Length];
        _given = progress;
        _watch = _next = new Watch(stallThreshold, progress);
        _thread = new Thread(Run) { IsBackground = true, Name = "numa-watchdog" };
    }

    public bool IsCurrentThread => Thread.CurrentThread == _thread;

    public void Start() => _thread.UnsafeStart();

    /// <summary>Changes the threshold, from the next sample on.</summary>
    public void SetStallThreshold(TimeSpan stallThreshold)
    {
        _next = new Watch(stallThreshold, _given);

        // It may sleep for seconds by the one before. Parked it looks when it is woken: a change that finds it parked was
        // written before it looks.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _parked) == 0)
        {
            _unpark.Release();
        }
    }

    /// <summary>Called by a loop after it woke up; a full fence lies between its announcement and this read.</summary>
    public void WakeIfParked()
    {
        if (Volatile.Read(ref _parked) != 0 && Interlocked.Exchange(ref _parked, 0) != 0)
        {
            _unpark.Release();
        }
    }

    /// <summary>Ends the thread, and waits for it. Loops may still call <see cref="WakeIfParked"/>.</summary>
    public void Stop(Deadline end)
    {
        _stopping = true;
        _unpark.Release();
        _thread.Join(end.Left);
    }

    // Not pinned: it must be able to run beside a callback that spins.
    private void Run()
    {
        var idle = 0;
        var me = Native.GetThreadId();
        _ = Native.GetThreadCpuTime(me, out var before);
        var sleep = _watch.Interval.Close;
        while (!_stopping)
        {
            Sleep(sleep);
            if (_stopping)
            {
                // Perhaps it was the release of Stop that has ended the sleep: there is no other for a park.
                break;
            }

            if (!ReferenceEquals(_watch, _next))
            {
                _watch = _next;
                _ = Native.GetThreadCpuTime(me, out before);
            }

            var interval = _watch.Interval;
            idle = Sample(out var isSuspicious) ? 0 : idle + 1;
            sleep = interval.Next(isSuspicious);
            if (interval.IsCostDue && Native.GetThreadCpuTime(me, out var now).Succeeded)
            {
                interval.OnCost(now - before);
                before = now;
            }

            if (idle >= IdleSamples)
            {
                Park();
                idle = 0;
                sleep = ReferenceEquals(_watch, _next) ? sleep : _next.Interval.Close;
            }
        }
    }

    private void Sleep(TimeSpan time)
    {
        if (time < s_longSleep)
        {
            Native.Nanosleep(time);
        }
        else
        {
            _unpark.Wait(time);
        }
    }

    private bool Sample(out bool isSuspicious)
    {
        var active = false;
        isSuspicious = false;
        for (var i = 0; i < _loops.Length; i++)
        {
            var word = _loops[i].BatonWord;
            if (word != _seen[i].Word)
            {
                _seen[i] = new Seen { Word = word };
                active = true;
            }
            else if (LoopBaton.IsInCallback(word))
            {
                active = isSuspicious = true;
                HandOverWhenLate(_loops[i], ref _seen[i]);
            }
        }

        return active;
    }

    // While the word stays, so does the holder.
    private void HandOverWhenLate(NumaEventLoop loop, ref Seen seen)
    {
        var holder = loop.HolderKernelId;
        if (++seen.Unchanged < LateSamples)
        {
            seen.CpuTime = _watch.Progress.Begin(holder);
        }
        else if (_watch.Progress.IsLate(holder, seen.CpuTime) && loop.TryHandOver(seen.Word))
        {
            seen = new Seen { Word = seen.Word + 1 };
            _watch.Interval.OnHandOver();
        }
    }

    private void Park()
    {
        Interlocked.Exchange(ref _parked, 1);
        for (var i = 0; i < _loops.Length; i++)
        {
            if ((!_loops[i].IsAsleep || _loops[i].BatonWord != _seen[i].Word) && Interlocked.Exchange(ref _parked, 0) != 0)
            {
                return;
            }
        }

        _unpark.Wait();

        // What has released it may be a change of the threshold from before it parked. A full fence before the look at the
        // threshold: a change that still finds the mark releases nobody.
        Interlocked.Exchange(ref _parked, 0);
    }

    /// <summary>What follows from a threshold. Used by the watchdog's thread.</summary>
    private sealed class Watch(TimeSpan stallThreshold, ThreadProgress? progress)
    {
        public WatchInterval Interval { get; } = new(stallThreshold);

        public ThreadProgress Progress { get; } = progress ?? new KernelThreadProgress(stallThreshold / 2);
    }

    private struct Seen
    {
        public long Word;
        public int Unchanged;

        /// <summary>What the holder had used when the word was first found unchanged.</summary>
        public TimeSpan? CpuTime;
    }
}
