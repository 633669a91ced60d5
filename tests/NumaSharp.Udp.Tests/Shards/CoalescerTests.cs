using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Udp.Shards;

namespace NumaSharp.Udp.Tests.Sharding;

/// <summary>When datagrams wait for each other: the timer is set to an hour, so that the test ticks in its place.</summary>
public sealed class CoalescerTests : IDisposable
{
    private static readonly TimeSpan s_delay = TimeSpan.FromHours(1);

    private readonly ManualTime _time = new();
    private readonly NumaEventLoopGroup _loops;
    private readonly NumaEventLoop _loop;
    private readonly ShardWatch _watch;
    private readonly Coalescer _coalescer;
    private long _received;

    public CoalescerTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        _loops = new NumaEventLoopGroup(NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1 }));
        _loop = _loops.Loops[0];
        _watch = new ShardWatch(_loop, new Caller(static () => { }));
        _coalescer = new Coalescer(_loop, user: null, _watch, s_delay, () => Interlocked.Read(ref _received), _time);
    }

    public void Dispose()
    {
        _coalescer?.Dispose();
        _loops?.Dispose();
    }

    [Fact]
    public void OnEvent_CloseOnesInARow_Begins()
    {
        Receive(Coalescer.CloseOnes);
        Assert.False(_watch.IsPaused);
        Receive(1);
        Assert.True(_watch.IsPaused);
    }

    [Fact]
    public void OnEvent_GapBetweenCloseOnes_CountsFromTheStart()
    {
        Receive(Coalescer.CloseOnes);
        _time.Advance(s_delay);
        Receive(Coalescer.CloseOnes);
        Assert.False(_watch.IsPaused);
        Receive(1);
        Assert.True(_watch.IsPaused);
    }

    [Fact]
    public void OnReady_TicksThatFindSeveral_Continue()
    {
        Begin();
        for (var i = 0; i < 3 * Coalescer.PoorTicks; i++)
        {
            Tick(found: 2);
        }

        Assert.True(_watch.IsPaused);
    }

    [Fact]
    public void OnReady_PoorTicksInARow_Ends()
    {
        Begin();
        Poor(Coalescer.PoorTicks - 1);
        Tick(found: 2);
        Poor(Coalescer.PoorTicks - 1);
        Assert.True(_watch.IsPaused);
        Tick(found: 0);
        Assert.False(_watch.IsPaused);
    }

    [Fact]
    public void OnReady_HasEnded_BeginsAgainAfterAsMany()
    {
        Begin();
        Poor(Coalescer.PoorTicks);
        Receive(Coalescer.CloseOnes - 1);
        Assert.False(_watch.IsPaused);
        Receive(1);
        Assert.True(_watch.IsPaused);
    }

    private void Begin()
    {
        Receive(Coalescer.CloseOnes + 1);
        Assert.True(_watch.IsPaused);
    }

    private void Receive(int events)
    {
        for (var i = 0; i < events; i++)
        {
            Interlocked.Increment(ref _received);
            _coalescer.OnEvent();
        }
    }

    private void Poor(int ticks)
    {
        for (var i = 0; i < ticks; i++)
        {
            Tick(found: 1);
        }
    }

    private void Tick(int found)
    {
        Interlocked.Add(ref _received, found);
        _loop.Post(_coalescer);
        Caller.WaitFor(_loop);
    }
}
