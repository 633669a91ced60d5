using System.Collections.Concurrent;
using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

/// <summary>Components that share loops: which reports each receives, and how long the loops run.</summary>
public sealed class SharedLoopsTests : IDisposable
{
    private readonly FakeAffinity _affinity = new();
    private readonly LateThread _late = new();
    private readonly NumaPlan _plan = TestMachines.Row(2).Plan();
    private readonly Component _first = new();
    private readonly Component _second = new();
    private readonly SharedLoops _loops;

    public SharedLoopsTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        var options = new NumaEventLoopGroupOptions { Affinity = _affinity };
        _late.Configure(options);
        _loops = new SharedLoops(options);
    }

    public void Dispose()
    {
        _loops.End(_first.User);
        _loops.End(_second.User);
    }

    [Fact]
    public void Use_ByTwo_IsOneGroupUntilBothHaveEnded()
    {
        var group = _loops.Use(_first.User, _plan);
        Assert.Same(group, _loops.Use(_second.User, _plan));
        _loops.End(_first.User);
        _loops.End(_first.User);
        var handler = new RecordingHandler();
        group.Loops[1].Post(handler);
        handler.WaitForReturn();

        _loops.End(_second.User);
        Assert.Null(_loops.Group);
        Assert.Equal(0, group.Threads.Sum(static node => node.Count));
        Assert.NotSame(group, _loops.Use(_second.User, _plan));
    }

    [Fact]
    public void Use_ByOneTwice_EndsWithTheSecondEnd()
    {
        // A release that is under way while the component has something to watch again.
        var group = _loops.Use(_first.User, _plan);
        Assert.Same(group, _loops.Use(_first.User, _plan));
        _loops.End(_first.User);
        Assert.Same(group, _loops.Group);
        _loops.End(_first.User);
        Assert.Null(_loops.Group);
    }

    [Fact]
    public async Task Exception_OfAHandler_ReachesItsComponent()
    {
        _loops.Use(_first.User, _plan);
        var loop = _loops.Use(_second.User, _plan).Loops[0];
        loop.Post(new OwnedHandler(_second.User, static () => throw new InvalidTimeZoneException()));

        Assert.Equal("unhandled", (await _second.Next()).What);
        Assert.Empty(_first.Reports);
    }

    [Fact]
    public async Task Trouble_OfAHandlerOfNoComponent_ReachesAnyOne()
    {
        var loop = _loops.Use(_first.User, _plan).Loops[0];
        _loops.Use(_second.User, _plan);
        loop.Post(new RecordingHandler(static _ => throw new InvalidTimeZoneException()));
        Assert.Equal("unhandled", (await _first.Next()).What);
        var handler = new RecordingHandler(_ => _late.LoseLoop(loop));
        loop.Post(handler);

        Assert.Equal(("handed over", handler), await _first.Next());
        Assert.Empty(_second.Reports);
    }

    [Fact]
    public async Task HandOver_OfAHandler_ReachesItsComponent()
    {
        _loops.Use(_first.User, _plan);
        var loop = _loops.Use(_second.User, _plan).Loops[0];
        var handler = new OwnedHandler(_second.User, () => _late.LoseLoop(loop));
        loop.Post(handler);

        Assert.Equal(("handed over", handler), await _second.Next());
        Assert.Empty(_first.Reports);
    }

    [Fact]
    public async Task Failure_OfALoop_ReachesAll()
    {
        _loops.Use(_first.User, _plan);
        var group = _loops.Use(_second.User, _plan);
        group.Reports.OnFailed(group.Loops[0], new NumaException("epoll_wait"));
        group.Reports.OnResumed(group.Loops[0], TimeSpan.FromSeconds(5));

        foreach (var component in (Component[])[_first, _second])
        {
            Assert.Equal("failed", (await component.Next()).What);
            Assert.Equal("resumed", (await component.Next()).What);
        }
    }

    [Fact]
    public async Task Stall_OfAHandler_ReachesItsComponentAndOfTheLoopAnyOne()
    {
        _loops.Use(_first.User, _plan);
        var group = _loops.Use(_second.User, _plan);
        var handler = new OwnedHandler(_second.User, static () => { });
        Assert.True(group.Reports.WantsStuck);
        group.Reports.OnStuck(new NumaEventLoopStall(group.Loops[0], handler, TimeSpan.FromSeconds(5), "reason"));
        Assert.Equal(("stuck", handler), await _second.Next());
        group.Reports.OnStuck(new NumaEventLoopStall(group.Loops[0], null, TimeSpan.FromSeconds(5), "reason"));
        Assert.Equal("stuck", (await _first.Next()).What);
    }

    [Fact]
    public void Apply_ByEach_IsAppliedByTheFirstThatIsGivenIt()
    {
        _loops.Use(_first.User, _plan);
        var group = _loops.Use(_second.User, _plan);
        var plan = _plan.Adapt(TestMachines.Row(2).Read()).Plan;
        _loops.Apply(_second.User, plan);
        Assert.Same(plan, group.Plan);
        _loops.Apply(_first.User, plan);
        Assert.Same(plan, group.Plan);

        // Given by one that ends before the other is given it, as when the last datagram socket closes meanwhile.
        _loops.Apply(_first.User, _plan);
        _loops.End(_first.User);
        Assert.Same(_plan, group.Plan);
        Assert.Throws<ArgumentException>(() => _loops.Apply(_second.User, TestMachine.Plan(3)));
        Assert.Same(_plan, group.Plan);
    }

    [Fact]
    public void SetStallThreshold_BeforeTheLoopsRun_IsTheirs()
    {
        _loops.SetStallThreshold(TimeSpan.FromSeconds(3));
        Assert.Throws<ArgumentOutOfRangeException>(() => _loops.SetStallThreshold(TimeSpan.FromMicroseconds(1)));
        Assert.Equal(TimeSpan.FromSeconds(3), _loops.Use(_first.User, _plan).StallThreshold);
    }

    [Fact]
    public void Callback_OfAComponentThatAllowsNoHandOver_KeepsTheLoop()
    {
        var progress = new AllAreLate();
        var loops = new SharedLoops(new NumaEventLoopGroupOptions { Affinity = _affinity, Progress = progress });
        var component = new Component(allowsHandOver: false);
        try
        {
            var loop = loops.Use(component.User, _plan).Loops[0];
            bool? isWatched = null;
            using var returned = new SemaphoreSlim(0);
            loop.Post(new OwnedHandler(component.User, () =>
            {
                isWatched = loop.IsWatched;
                returned.Release();
            }));
            Wait.For(returned, "the return of the callback");
            Assert.False(isWatched);

            // Behind one that has set the timer, so that the watchdog finds it late, more than once.
            bool? isHeld = null;
            var keeping = new OwnedHandler(component.User, () =>
            {
                Wait.For(progress.Asked, "the watchdog");
                Wait.For(progress.Asked, "the watchdog");
                isHeld = loop.IsHeldByCurrentThread;
                returned.Release();
            });
            loop.Post(new RecordingHandler(_ => loop.Post(keeping)));
            Wait.For(returned, "the return of the callback");
            Assert.True(isHeld);
            Assert.Equal(0, loop.HandOvers);
        }
        finally
        {
            loops.End(component.User);
        }
    }

    [Fact]
    public async Task Use_LoopsOfTheApplication_NeverEndsThem()
    {
        using var group = new NumaEventLoopGroup(_plan, new NumaEventLoopGroupOptions { Affinity = _affinity });
        var loops = SharedLoops.Of(group, _plan);
        Assert.Same(loops, SharedLoops.Of(group, _plan));
        Assert.Same(group, loops.Use(_first.User, _plan));
        loops.SetStallThreshold(TimeSpan.FromSeconds(2));
        Assert.Equal(TimeSpan.FromSeconds(2), group.StallThreshold);
        Assert.Equal(TimeSpan.FromSeconds(2), loops.StallThreshold);
        loops.End(_first.User);
        Assert.Null(loops.Group);
        Assert.Same(group, loops.Use(_second.User, _plan));
        var handler = new RecordingHandler();
        group.Loops[0].Post(handler);
        handler.WaitForReturn();
        group.Reports.OnFailed(group.Loops[0], new NumaException("epoll_wait"));
        Assert.Equal("failed", (await _second.Next()).What);
        Assert.Empty(_first.Reports);
        loops.End(_second.User);
        Assert.False(group.Reports.WantsStuck);
    }

    [Fact]
    public void Apply_LoopsOfTheApplicationThatNothingUses_IsTheirs()
    {
        using var group = new NumaEventLoopGroup(_plan, new NumaEventLoopGroupOptions { Affinity = _affinity });
        var loops = SharedLoops.Of(group, _plan);
        var plan = _plan.Adapt(TestMachines.Row(2).Read()).Plan;
        loops.Apply(_first.User, plan);
        Assert.Same(plan, group.Plan);
        Assert.Equal("loops", Assert.Throws<ArgumentException>(() => SharedLoops.Of(group, TestMachine.Plan(3))).ParamName);
    }

    [Fact]
    public void Use_LoopsCannotStart_LeavesNothing()
    {
        var group = new NumaEventLoopGroup(_plan, new NumaEventLoopGroupOptions { Affinity = _affinity });
        group.Dispose();
        Assert.Throws<ObjectDisposedException>(() => SharedLoops.Of(group, _plan).Use(_first.User, _plan));
        Assert.False(group.Reports.WantsStuck);
        Assert.Null(group.Shared.Group);
    }

    private sealed class OwnedHandler(LoopUser user, Action onReady) : EventLoopHandler
    {
        internal override LoopUser User => user;

        protected internal override void OnReady(EventLoopEvents events) => onReady();
    }

    /// <summary>Counts every thread that is checked twice as late.</summary>
    private sealed class AllAreLate : ThreadProgress
    {
        public SemaphoreSlim Asked { get; } = new(0);

        public override TimeSpan? Begin(int threadId) => TimeSpan.Zero;

        public override bool IsLate(int threadId, TimeSpan? begun)
        {
            Asked.Release();
            return true;
        }
    }

    private sealed class Component
    {
        private readonly SemaphoreSlim _told = new(0);

        public Component(bool allowsHandOver = true) => User = new LoopUser
        {
            AllowsHandOver = allowsHandOver,
            UnhandledException = _ => Add("unhandled", null),
            HandedOver = (_, handler) => Add("handed over", handler),
            Failed = (_, _) => Add("failed", null),
            Stuck = stall => Add("stuck", stall.Handler),
            Resumed = (_, _) => Add("resumed", null),
        };

        public LoopUser User { get; }

        public ConcurrentQueue<(string What, EventLoopHandler? Handler)> Reports { get; } = new();

        public async Task<(string What, EventLoopHandler? Handler)> Next()
        {
            await Task.Run(() => Wait.For(_told, "a report"));
            Assert.True(Reports.TryDequeue(out var report));
            return report;
        }

        private void Add(string what, EventLoopHandler? handler)
        {
            Reports.Enqueue((what, handler));
            _told.Release();
        }
    }
}
