using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

/// <summary>Posts run after a limited time, whatever else the kernel has reported.</summary>
public sealed class RoundTests : IDisposable
{
    private readonly NumaEventLoopGroup _group;
    private readonly List<EventFdHandle> _sources = [];

    public RoundTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        var plan = NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1 });
        _group = new NumaEventLoopGroup(plan, new NumaEventLoopGroupOptions { StallThreshold = TimeSpan.Zero });
    }

    private NumaEventLoop Loop => _group.Loops[0];

    public void Dispose()
    {
        _group.Dispose();
        _sources.ForEach(static source => source.Dispose());
    }

    [Fact]
    public void Posts_InARoundWithoutEnd_ComeAfterAllEvents() =>
        Assert.Equal(["event True", "event True", "event False", "post False"], CallsOf(TimeSpan.MaxValue));

    [Fact]
    public void Posts_RoundIsOver_ComeAfterTheEvent() =>
        Assert.Equal(
            ["event True", "post True", "event True", "post True", "event False", "post False"], CallsOf(TimeSpan.Zero));

    private List<string> CallsOf(TimeSpan longestRound)
    {
        const int Count = 3;
        Loop.LongestRound = longestRound;
        var calls = new List<string>();
        var left = Count;
        using var ended = new ManualResetEventSlim();
        var posted = new RecordingHandler(_ =>
        {
            calls.Add($"post {Loop.HasMoreEvents}");
            if (left == 0)
            {
                ended.Set();
            }
        });
        RunAtOnce(Count, () =>
        {
            left--;
            calls.Add($"event {Loop.HasMoreEvents}");
            Loop.Post(posted);
        });

        Wait.For(ended);
        Assert.False(Loop.HasMoreEvents);
        return calls;
    }

    // The loop is kept until all of them are ready, so that one epoll_wait returns them.
    private void RunAtOnce(int count, Action onReady)
    {
        using var gate = new Gate();
        var keeper = new RecordingHandler(_ => gate.Pass());
        Loop.Post(keeper);
        keeper.WaitForCall();
        for (var i = 0; i < count; i++)
        {
            EventFdHandle.Create(out var source).ThrowIfFailed("eventfd");
            _sources.Add(source!);
            Loop.Register(source!, new RecordingHandler(_ => onReady()), EventLoopEvents.Readable);
            source!.Signal().ThrowIfFailed("write");
        }

        gate.Open();
        keeper.WaitForReturn();
    }
}
