using NumaSharp.Core;

namespace NumaSharp.EventLoop;

/// <summary>
/// Looks at every loop once a second, from outside: one that does not sleep and has the same word at five looks after the first
/// serves nobody. Counts looks, not time, as the watchdog does: a pause of the whole process is one look. Loops that lack a
/// spare thread try to make one then.
/// </summary>
internal sealed class StuckLoopMonitor : IDisposable
{
    internal const int LooksUntilStuck = 5;

    internal static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly Looked[] _loops;
    private readonly NumaEventLoopGroupOptions _options;
    private readonly TimeProvider _time;
    private int _patience;
    private readonly ITimer _timer;
    private bool _isDisposed;

    public StuckLoopMonitor(IEnumerable<NumaEventLoop> loops, NumaEventLoopGroupOptions options)
    {
        _loops = [.. loops.Select(static loop => new Looked(loop))];
        _options = options;
        _time = options.Time ?? BackgroundTime.Instance;
        SetStallThreshold(options.StallThreshold);
        _timer = _time.CreateTimer(static it => ((StuckLoopMonitor)it!).OnTimer(), this, Interval, Timeout.InfiniteTimeSpan);
    }

    /// <summary>The watchdog finds a stall within 1.5 thresholds, where they are that long.</summary>
    public static int LooksFor(TimeSpan stallThreshold) => LooksUntilStuck + (int)(2 * (stallThreshold / Interval));

    public void SetStallThreshold(TimeSpan stallThreshold)
    {
        lock (_lock)
        {
            _patience = LooksFor(stallThreshold);
        }
    }

    /// <summary>Ends the looking; no loop is stuck from now on.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
            _timer.Dispose();
            foreach (var looked in _loops)
            {
                looked.Loop.SetStuckFor(TimeSpan.Zero);
            }
        }
    }

    // Set anew each time: looks that a busy thread pool has delayed do not come all at once.
    private void OnTimer()
    {
        lock (_lock)
        {
            if (!_isDisposed)
            {
                Array.ForEach(_loops, Look);
                _timer.Change(Interval, Timeout.InfiniteTimeSpan);
            }
        }
    }

    private void Look(Looked looked)
    {
        var loop = looked.Loop;
        loop.RetrySpare();
        var isAsleep = loop.IsAsleep;
        var word = loop.BatonWord;
        if (isAsleep || word != looked.Word)
        {
            GoOn(looked, word);
        }
        else if (loop.TryLookAt(word, out var running, out var thread))
        {
            if (++looked.Unchanged == 1)
            {
                looked.CpuTime = ThreadActivity.CpuTimeOf(thread);
                looked.CpuTimeAt = _time.GetTimestamp();
            }
            else if (looked.Unchanged >= _patience)
            {
                OnStuck(looked, running, thread);
            }
        }
    }

    private void GoOn(Looked looked, long word)
    {
        if (looked.Loop.StuckFor > TimeSpan.Zero)
        {
            looked.Loop.SetStuckFor(TimeSpan.Zero);
            _options.OnWentOn(looked.Loop, _time.GetElapsedTime(looked.Since));
        }

        looked.Word = word;
        looked.Since = _time.GetTimestamp();
        looked.Unchanged = 0;
    }

    private void OnStuck(Looked looked, EventLoopHandler? running, int thread)
    {
        var duration = _time.GetElapsedTime(looked.Since);
        looked.Loop.SetStuckFor(duration);
        if (_options.Stuck is not null)
        {
            var used = ThreadActivity.CpuTimeOf(thread) - looked.CpuTime;
            var activity = ThreadActivity.Describe(thread, used / _time.GetElapsedTime(looked.CpuTimeAt));
            _options.OnStuck(new NumaEventLoopStall(
                looked.Loop, running, duration, $"thread {thread} {activity}, and {looked.Loop.Relief}"));
        }
    }

    /// <summary>What the looks at one loop have found.</summary>
    private sealed class Looked(NumaEventLoop loop)
    {
        public NumaEventLoop Loop => loop;

        public long Word { get; set; } = -1;

        /// <summary>When the word was found first.</summary>
        public long Since { get; set; }

        public int Unchanged { get; set; }

        /// <summary>What the holder had used at the look after that.</summary>
        public TimeSpan? CpuTime { get; set; }

        public long CpuTimeAt { get; set; }
    }
}
