using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed class StallWatchdogTests : IDisposable
{
    private readonly ToldProgress _progress = new();
    private readonly NumaEventLoopGroup _group;

    public StallWatchdogTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        var plan = NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1 });
        _group = new NumaEventLoopGroup(plan, new NumaEventLoopGroupOptions { Progress = _progress });
    }

    private NumaEventLoop Loop => _group.Loops[0];

    public void Dispose() => _group?.Dispose();

    [Fact]
    public void Callback_OnlyWaitsForACpu_KeepsItsLoopUntilItIsLate()
    {
        using var release = new Gate();
        var thread = 0;
        var handler = new RecordingHandler(_ =>
        {
            thread = Native.GetThreadId();
            release.Pass();
        });
        Loop.Post(handler);
        handler.WaitForCall();
        Wait.Until(() => _progress.Asked > 5);

        Assert.Equal(0, Loop.HandOvers);
        Assert.Equal(thread, _progress.LastThread);
        _progress.IsHolderLate = true;
        handler.WaitForHandOver();
        Assert.Equal(1, Loop.HandOvers);
        release.Open();
        handler.WaitForReturn();
    }

    [Fact]
    public void SetStallThreshold_Shorter_HandsOverWhatTheFormerHadLetAlone()
    {
        _group.SetStallThreshold(TimeSpan.FromSeconds(10));
        using var release = new Gate();
        var handler = new RecordingHandler(_ => release.Pass());
        Loop.Post(handler);
        handler.WaitForCall();
        _group.SetStallThreshold(TimeSpan.FromMilliseconds(1));

        // By the former threshold so many looks take longer than any wait.
        Wait.Until(() => _progress.Asked > 100);
        Assert.Equal(0, Loop.HandOvers);
        _progress.IsHolderLate = true;
        handler.WaitForHandOver();
        release.Open();
        handler.WaitForReturn();
    }

    [Fact]
    public void Loop_HasNothingToDo_IsNotWatched()
    {
        var handler = new RecordingHandler();
        for (var i = 0; i < 100; i++)
        {
            Loop.Post(handler);
            handler.WaitForReturn();
        }

        Wait.Until(() => !Loop.IsWatched);
    }

    [Fact]
    public void SetStallThreshold_OutsideItsRangeOrWithoutAWatchdog_Throws()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _group.SetStallThreshold(TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>(() => _group.SetStallThreshold(TimeSpan.FromSeconds(11)));
        using var unwatched = new NumaEventLoopGroup(
            _group.Plan, new NumaEventLoopGroupOptions { StallThreshold = TimeSpan.Zero });
        Assert.Throws<InvalidOperationException>(() => unwatched.SetStallThreshold(TimeSpan.FromMilliseconds(1)));
    }

    [Fact]
    public void Nanosleep_MoreThanASecond_IsNotRefused()
    {
        // A signal may end it early; what is refused ends at once each time.
        Wait.Until(static () =>
        {
            var start = TimeProvider.System.GetTimestamp();
            Native.Nanosleep(TimeSpan.FromMilliseconds(1100));
            return TimeProvider.System.GetElapsedTime(start) > TimeSpan.FromMilliseconds(100);
        });
    }

    private sealed class ToldProgress : ThreadProgress
    {
        private static readonly TimeSpan s_token = TimeSpan.FromTicks(42);

        public volatile bool IsHolderLate;

        private int _asked;

        public int Asked => Volatile.Read(ref _asked);

        public int LastThread { get; private set; }

        public override TimeSpan? Begin(int threadId) => s_token;

        public override bool IsLate(int threadId, TimeSpan? begun)
        {
            LastThread = begun == s_token ? threadId : -1;
            Interlocked.Increment(ref _asked);
            return IsHolderLate;
        }
    }
}
