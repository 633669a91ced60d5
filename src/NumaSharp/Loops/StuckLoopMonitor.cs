using System.Collections.Immutable;
using NumaSharp.Core;

namespace NumaSharp.EventLoop;

/// <summary>
/// Checks every loop once a second, from outside: a loop is stuck if it does not sleep and has the same baton word at five checks
/// after the first. Counts checks, not time, as the watchdog does: a pause of the whole process is one check. Also retries the
/// spare threads of nodes that lack one.
/// </summary>
internal sealed class StuckLoopMonitor : IDisposable
{
    internal const int LooksUntilStuck = 5;

    internal static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly Looked[] _loops;
    private readonly ImmutableArray<NodeThreads> _nodes;
    private readonly LoopReports _reports;
    private readonly TimeProvider _time;
    private int _looksUntilStuck;
    private readonly ITimer _timer;
    private bool _isDisposed;

    public StuckLoopMonitor(
        IEnumerable<NumaEventLoop> loops,
        ImmutableArray<NodeThreads> nodes,
        NumaEventLoopGroupOptions options,
        LoopReports reports)
    {
        _loops = [.. loops.Select(static loop => new Looked(loop))];
        _nodes = nodes;
        _reports = reports;
        _time = options.Time ?? BackgroundTime.Instance;
        SetStallThreshold(options.StallThreshold);
        _timer = _time.CreateTimer(static it => ((StuckLoopMonitor)it!).OnTimer(), this, Interval, Timeout.InfiniteTimeSpan);
    }

    /// <summary>
    /// Checks until a loop is stuck: more for long thresholds, because the watchdog hands a loop over after up to
    /// <see cref="StallWatchdog.MostThresholds"/> of them.
    /// </summary>
    public static int LooksFor(TimeSpan stallThreshold) =>
        LooksUntilStuck + (int)(StallWatchdog.MostThresholds * (stallThreshold / Interval));

    public void SetStallThreshold(TimeSpan stallThreshold)
    {
        lock (_lock)
        {
            _looksUntilStuck = LooksFor(stallThreshold);
        }
    }

    /// <summary>Ends the checks; no loop is stuck from now on.</summary>
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

    // Re-armed after each tick: checks that were delayed must not run all at once.
    private void OnTimer()
    {
        lock (_lock)
        {
            if (!_isDisposed)
            {
                foreach (var threads in _nodes)
                {
                    threads.RetrySpare();
                }

                Array.ForEach(_loops, Look);
                _timer.Change(Interval, Timeout.InfiniteTimeSpan);
            }
        }
    }

    private void Look(Looked looked)
    {
        var loop = looked.Loop;
        var isAsleep = loop.IsAsleep;
        var word = loop.BatonWord;
        if (isAsleep || word != looked.Word)
        {
            OnProgress(looked, word);
        }
        else if (loop.TryLookAt(word, out var running, out var thread))
        {
            if (++looked.Unchanged == 1)
            {
                looked.CpuTime = ThreadActivity.CpuTimeOf(thread);
                looked.CpuTimeAt = _time.GetTimestamp();
            }
            else if (looked.Unchanged >= _looksUntilStuck)
            {
                OnStuck(looked, running, thread);
            }
        }
    }

    private void OnProgress(Looked looked, long word)
    {
        if (looked.Loop.StuckFor > TimeSpan.Zero)
        {
            looked.Loop.SetStuckFor(TimeSpan.Zero);
            _reports.OnResumed(looked.Loop, _time.GetElapsedTime(looked.Since));
        }

        looked.Word = word;
        looked.Since = _time.GetTimestamp();
        looked.Unchanged = 0;
    }

    private void OnStuck(Looked looked, EventLoopHandler? running, int thread)
    {
        var duration = _time.GetElapsedTime(looked.Since);
        looked.Loop.SetStuckFor(duration);
        if (_reports.WantsStuck)
        {
            var used = ThreadActivity.CpuTimeOf(thread) - looked.CpuTime;
            var activity = ThreadActivity.Describe(thread, used / _time.GetElapsedTime(looked.CpuTimeAt));
            _reports.OnStuck(new NumaEventLoopStall(
                looked.Loop, running, duration, $"thread {thread} {activity}, and {looked.Loop.Relief}"));
        }
    }

    /// <summary>The results of checking one loop.</summary>
    private sealed class Looked(NumaEventLoop loop)
    {
        public NumaEventLoop Loop => loop;

        public long Word { get; set; } = -1;

        /// <summary>When the word was first seen.</summary>
        public long Since { get; set; }

        public int Unchanged { get; set; }

        /// <summary>The CPU time that the holder had used at the check after that.</summary>
        public TimeSpan? CpuTime { get; set; }

        public long CpuTimeAt { get; set; }
    }
}
