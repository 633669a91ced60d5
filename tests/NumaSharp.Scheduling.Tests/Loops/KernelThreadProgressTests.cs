using NumaSharp.EventLoop;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed class KernelThreadProgressTests : IDisposable
{
    // No thread has used most of a sample of this length.
    private static readonly TimeSpan s_endless = TimeSpan.FromHours(1);

    private readonly Gate _end = new();
    private Thread? _thread;
    private int _id;

    public KernelThreadProgressTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "Threads are looked at through Linux.");

    public void Dispose()
    {
        _end.Dispose();
        if (_thread is not null)
        {
            Wait.For(_thread);
        }
    }

    [Fact]
    public void IsLate_Blocks_IsTrue()
    {
        Start(_end.Pass);
        var progress = new KernelThreadProgress(s_endless);

        // It may be on its way to the wait.
        Wait.Until(() => progress.IsLate(_id, progress.Begin(_id)));
    }

    [Fact]
    public void IsLate_CouldRunButHasNotYet_IsFalse()
    {
        Start(Spin);
        var progress = new KernelThreadProgress(s_endless);

        // A garbage collection may hold it for a moment, which the kernel shows as a wait.
        Wait.Until(() => !progress.IsLate(_id, progress.Begin(_id)));
    }

    [Fact]
    public void IsLate_Computes_IsTrueAfterMostOfASample()
    {
        Start(Spin);
        var begun = new KernelThreadProgress(s_endless).Begin(_id);
        Wait.Until(() => ThreadActivity.CpuTimeOf(_id) - begun >= TimeSpan.FromMilliseconds(0.75));

        Assert.True(new KernelThreadProgress(TimeSpan.FromMilliseconds(1)).IsLate(_id, begun));
    }

    [Fact]
    public void IsLate_CannotBeRead_IsTrue()
    {
        var progress = new KernelThreadProgress(s_endless);

        Assert.Null(progress.Begin(int.MaxValue / 8));
        Assert.True(progress.IsLate(int.MaxValue / 8, TimeSpan.Zero));
        Assert.True(progress.IsLate(Native.GetThreadId(), begun: null));
    }

    private void Start(Action work)
    {
        using var started = new ManualResetEventSlim();
        _thread = TestThreads.Start(() =>
        {
            _id = Native.GetThreadId();
            started.Set();
            work();
        });
        Wait.For(started);
    }

    private void Spin()
    {
        while (!_end.IsOpen)
        {
            Thread.SpinWait(100);
        }
    }
}
