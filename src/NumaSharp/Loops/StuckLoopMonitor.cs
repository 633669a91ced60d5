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
    internal const int ChecksUntilStuck = 5;

    internal static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly LoopCheck[] _loops;
    private readonly ImmutableArray<NodeThreads> _nodes;
    private readonly LoopReports _reports;
    private readonly TimeProvider _time;
    private int _checksUntilStuck;
    private readonly ITimer _timer;
    private bool _isDisposed;

    public StuckLoopMonitor(
        IEnumerable<NumaEventLoop> loops,
        ImmutableArray<NodeThreads> nodes,
        NumaEventLoopGroupOptions options,
        LoopReports reports)
    {
        _loops = [.. loops.Select(static loop => new LoopCheck(loop))];
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
    public static int ChecksFor(TimeSpan stallThreshold) =>
        ChecksUntilStuck + (int)(StallWatchdog.MostThresholds * (stallThreshold / Interval));

    public void SetStallThreshold(TimeSpan stallThreshold)
    {
        lock (_lock)
        {
            _checksUntilStuck = ChecksFor(stallThreshold);
        }
    }

    /// <summary>Ends the checks; no loop is stuck from now on.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
            _timer.Dispose();
            foreach (var check in _loops)
            {
                check.Loop.SetStuckFor(TimeSpan.Zero);
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

                Array.ForEach(_loops, Check);
                _timer.Change(Interval, Timeout.InfiniteTimeSpan);
            }
        }
    }

    private void Check(LoopCheck check)
    {
        var loop = check.Loop;
        var isAsleep = loop.IsAsleep;
        var word = loop.BatonWord;
        if (isAsleep || word != check.Word)
        {
            OnProgress(check, word);
        }
        else if (loop.TryLookAt(word, out var running, out var thread))
        {
            if (++check.Unchanged == 1)
            {
                check.CpuTime = ThreadActivity.CpuTimeOf(thread);
                check.CpuTimeAt = _time.GetTimestamp();
            }
            else if (check.Unchanged >= _checksUntilStuck)
            {
                OnStuck(check, running, thread);
            }
        }
    }

    private void OnProgress(LoopCheck check, long word)
    {
        if (check.Loop.StuckFor > TimeSpan.Zero)
        {
            check.Loop.SetStuckFor(TimeSpan.Zero);
            _reports.OnResumed(check.Loop, _time.GetElapsedTime(check.Since));
        }

        check.Word = word;
        check.Since = _time.GetTimestamp();
        check.Unchanged = 0;
    }

    private void OnStuck(LoopCheck check, EventLoopHandler? running, int thread)
    {
        var duration = _time.GetElapsedTime(check.Since);
        check.Loop.SetStuckFor(duration);
        if (_reports.WantsStuck)
        {
            var used = ThreadActivity.CpuTimeOf(thread) - check.CpuTime;
            var activity = ThreadActivity.Describe(thread, used / _time.GetElapsedTime(check.CpuTimeAt));
            _reports.OnStuck(new NumaEventLoopStall(
                check.Loop, running, duration, $"thread {thread} {activity}, and {check.Loop.Relief}"));
        }
    }

    /// <summary>The results of checking one loop.</summary>
    private sealed class LoopCheck(NumaEventLoop loop)
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
