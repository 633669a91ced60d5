using System.Runtime.CompilerServices;
using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed class PostOrderTests : IDisposable
{
    private readonly NumaEventLoopGroup _group;

    public PostOrderTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        var plan = NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1 });
        _group = new NumaEventLoopGroup(plan, new NumaEventLoopGroupOptions { StallThreshold = TimeSpan.Zero });
    }

    private NumaEventLoop Loop => _group.Loops[0];

    public void Dispose() => _group.Dispose();

    [Theory]
    [InlineData(20_000)]
    [InlineData(100_000, Traits = ["tier", "deep"])]
    public void Post_HandlerThatSynchronizesNothing_SeesWhatWasWrittenBefore(int posts)
    {
        var handler = new PlainHandler();
        for (var i = 1; i <= posts; i++)
        {
            Volatile.Write(ref handler.Written, (2 * i) - 1);
            Loop.Post(handler);
            Thread.SpinWait(i % 64);

            // Meets the first post queued, taken, or run; in each case it must be seen without a further one.
            Volatile.Write(ref handler.Written, 2 * i);
            Loop.Post(handler);
            Wait.Until(() => Volatile.Read(ref handler.Seen) == 2 * i, () => $"the last callback saw {handler.Seen}");
        }
    }

    [Fact]
    public void Post_BatchIsTaken_HandlersDoNotKeepEachOtherAlive()
    {
        using var gate = new Gate();
        var blocking = new RecordingHandler(_ => gate.Pass());
        var idle = new RecordingHandler();
        Loop.Post(blocking);
        blocking.WaitForCall();
        Loop.Post(idle);
        var behind = PostAnother();
        gate.Open();
        idle.WaitForCall();
        var last = new RecordingHandler();
        Loop.Post(last);
        last.WaitForCall();

        Wait.UntilCollected(() => !behind.IsAlive);
        GC.KeepAlive(idle);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference PostAnother()
    {
        var handler = new RecordingHandler();
        Loop.Post(handler);
        return new WeakReference(handler);
    }

    private sealed class PlainHandler : EventLoopHandler
    {
        public int Written;
        public int Seen;

        protected internal override void OnReady(EventLoopEvents events) => Volatile.Write(ref Seen, Volatile.Read(ref Written));
    }
}
