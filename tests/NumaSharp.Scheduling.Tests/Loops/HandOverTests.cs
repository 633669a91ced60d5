using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed class HandOverTests : IDisposable
{
    private const int MaxThreads = 16;

    private readonly NumaEventLoopGroup _group;

    public HandOverTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        var plan = NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1 });
        _group = new NumaEventLoopGroup(plan, new NumaEventLoopGroupOptions { MaxThreadsPerLoop = MaxThreads });
    }

    private NumaEventLoop Loop => _group.Loops[0];

    public void Dispose() => _group.Dispose();

    [Fact]
    public void OnReady_Blocks_OthersContinueWithAnotherThread()
    {
        using var release = new Gate();
        var blocking = new RecordingHandler(_ => release.Pass());
        var other = new RecordingHandler();
        Loop.Post(blocking);
        blocking.WaitForCall();
        Loop.Post(other);
        other.WaitForCall();
        blocking.WaitForHandOver();

        Assert.True(Loop.HandOvers >= 1);
        release.Open();
        blocking.WaitForReturn();
    }

    [Fact]
    public void OnReady_Spins_OthersContinueWithAnotherThread()
    {
        using var release = new Gate();
        var spinning = new RecordingHandler(_ =>
        {
            while (!release.IsOpen)
            {
                Thread.SpinWait(100);
            }
        });
        var other = new RecordingHandler();
        Loop.Post(spinning);
        spinning.WaitForCall();
        Loop.Post(other);
        other.WaitForCall();
        release.Open();
    }

    [Fact]
    public void OnReady_RestOfABatchBehindABlockedOne_IsNotLost()
    {
        using var release = new Gate();
        using var gate = new Gate();
        var first = new RecordingHandler(_ => gate.Pass());
        var blocking = new RecordingHandler(_ => release.Pass());
        var rest = Enumerable.Range(0, 20).Select(static _ => new RecordingHandler()).ToArray();
        Loop.Post(first);
        first.WaitForCall();

        // Posted while the loop is busy, so that they are one batch, the blocking one in front.
        Loop.Post(blocking);
        foreach (var handler in rest)
        {
            Loop.Post(handler);
        }

        gate.Open();
        Assert.All(rest, static handler => handler.WaitForCall());
        release.Open();
        first.WaitForReturn();
        blocking.WaitForReturn();
    }

    [Fact]
    public void OnReady_BlocksAgainAndAgain_ThreadsAreBoundedAndReused()
    {
        for (var i = 0; i < 50; i++)
        {
            using var release = new Gate();
            var blocking = new RecordingHandler(_ => release.Pass());
            Loop.Post(blocking);
            blocking.WaitForHandOver();
            release.Open();
            blocking.WaitForReturn();
        }

        Assert.InRange(Loop.ThreadCount, 1, MaxThreads);
    }

    [Fact]
    public void OnReady_AllThreadsBlocked_ContinuesWhenOneReturns()
    {
        using var release = new Gate();
        var blocking = Enumerable.Range(0, MaxThreads + 4).Select(_ => new RecordingHandler(_ => release.Pass())).ToArray();
        Array.ForEach(blocking, Loop.Post);
        var other = new RecordingHandler();
        Loop.Post(other);
        Wait.Until(() => blocking.Count(static handler => !handler.Events.IsEmpty) == MaxThreads);
        Assert.Equal(MaxThreads, Loop.ThreadCount);
        Assert.Empty(other.Events);
        release.Open();
        other.WaitForCall();
        Assert.All(blocking, static handler => handler.WaitForReturn());
    }

    [Fact]
    [Trait("kind", "stress")]
    public void Post_RandomBlocking_NothingIsLost()
    {
        const int Producers = 4;
        const int Rounds = 500;
        var handlers = Enumerable.Range(0, 8).Select(static seed => new CountingHandler(seed)).ToArray();
        var threads = Enumerable.Range(0, Producers).Select(_ => TestThreads.Start(() =>
        {
            for (var i = 0; i < Rounds; i++)
            {
                foreach (var handler in handlers)
                {
                    handler.Add();
                    Loop.Post(handler);
                }
            }
        })).ToArray();
        Array.ForEach(threads, static thread => Wait.For(thread));

        Assert.All(handlers, static handler => handler.WaitUntilTaken(Producers * Rounds));
    }

    private sealed class CountingHandler(int seed) : EventLoopHandler
    {
        private readonly Random _random = new(seed);
        private readonly ManualResetEventSlim _all = new();
        private int _pending;
        private int _taken;
        private int _expected = int.MaxValue;

        public void Add() => Interlocked.Increment(ref _pending);

        public void WaitUntilTaken(int expected)
        {
            Volatile.Write(ref _expected, expected);
            Interlocked.MemoryBarrier();
            if (Volatile.Read(ref _taken) != expected)
            {
                Wait.For(_all, $"{expected} posts, of which {_taken} were seen");
            }
        }

        protected internal override void OnReady(EventLoopEvents events)
        {
            var count = Interlocked.Exchange(ref _pending, 0);
            bool block;
            lock (_random)
            {
                block = _random.Next(10) == 0;
            }

            if (block)
            {
                new ManualResetEventSlim().Wait(TimeSpan.FromMilliseconds(3));
            }

            if (Interlocked.Add(ref _taken, count) == Volatile.Read(ref _expected))
            {
                _all.Set();
            }
        }
    }
}
