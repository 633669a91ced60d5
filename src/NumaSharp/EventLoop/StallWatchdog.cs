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
    private readonly ThreadProgress _progress;
    private readonly WatchInterval _interval;
    private readonly Thread _thread;
    private readonly SemaphoreSlim _unpark = new(0);
    private int _parked;
    private volatile bool _stopping;

    public StallWatchdog(NumaEventLoop[] loops, TimeSpan stallThreshold, ThreadProgress? progress = null)
    {
        _loops = loops;
        _seen = new Seen[loops.Length];
        _interval = new WatchInterval(stallThreshold);
        _progress = progress ?? new KernelThreadProgress(_interval.Close);
        _thread = new Thread(Run) { IsBackground = true, Name = "numa-watchdog" };
    }

    public bool IsCurrentThread => Thread.CurrentThread == _thread;

    public void Start() => _thread.UnsafeStart();

    /// <summary>Called by a loop after it woke up; a full fence lies between its announcement and this read.</summary>
    public void WakeIfParked()
    {
        if (Volatile.Read(ref _parked) != 0 && Interlocked.Exchange(ref _parked, 0) != 0)
        {
            _unpark.Release();
        }
    }

    /// <summary>Ends the thread. Loops may still call <see cref="WakeIfParked"/>.</summary>
    public void Stop()
    {
        _stopping = true;
        _unpark.Release();
        _thread.Join();
    }

    // Not pinned: it must be able to run beside a callback that spins.
    private void Run()
    {
        var idle = 0;
        var me = Native.GetThreadId();
        _ = Native.GetThreadCpuTime(me, out var before);
        var sleep = _interval.Close;
        while (!_stopping)
        {
            Sleep(sleep);
            idle = Sample(out var isSuspicious) ? 0 : idle + 1;
            sleep = _interval.Next(isSuspicious);
            if (_interval.IsCostDue && Native.GetThreadCpuTime(me, out var now).Succeeded)
            {
                _interval.OnCost(now - before);
                before = now;
            }

            if (idle >= IdleSamples)
            {
                Park();
                idle = 0;
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
            seen.CpuTime = _progress.Begin(holder);
        }
        else if (_progress.IsLate(holder, seen.CpuTime) && loop.TryHandOver(seen.Word))
        {
            seen = new Seen { Word = seen.Word + 1 };
            _interval.OnHandOver();
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
    }

    private struct Seen
    {
        public long Word;
        public int Unchanged;

        /// <summary>What the holder had used when the word was first found unchanged.</summary>
        public TimeSpan? CpuTime;
    }
}
