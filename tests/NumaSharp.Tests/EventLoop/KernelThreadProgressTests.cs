using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Tests.Scheduling;

namespace NumaSharp.Tests.EventLoop;

public sealed class KernelThreadProgressTests : IDisposable
{
    // Whoever is asked about this sample has not used most of it.
    private static readonly TimeSpan s_endless = TimeSpan.FromHours(1);

    private readonly ManualResetEventSlim _end = new();
    private Thread? _thread;
    private int _id;

    public KernelThreadProgressTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "Threads are looked at through Linux.");

    public void Dispose()
    {
        _end.Set();
        _thread?.Join();
        _end.Dispose();
    }

    [Fact]
    public void IsLate_Blocks_IsTrue()
    {
        Start(() => _end.Wait());
        var progress = new KernelThreadProgress(s_endless);

        // It may be on its way to the wait.
        TestMachine.WaitUntil(() => progress.IsLate(_id, progress.Begin(_id)));
    }

    [Fact]
    public void IsLate_CouldRunButHasNotYet_IsFalse()
    {
        Start(Spin);
        var progress = new KernelThreadProgress(s_endless);

        Assert.False(progress.IsLate(_id, progress.Begin(_id)));
    }

    [Fact]
    public void IsLate_Computes_IsTrueAfterMostOfASample()
    {
        Start(Spin);
        var progress = new KernelThreadProgress(TimeSpan.FromMilliseconds(1));
        var begun = progress.Begin(_id);
        TestMachine.WaitUntil(() => progress.IsLate(_id, begun));

        Assert.True(progress.Begin(_id) - begun >= TimeSpan.FromMilliseconds(0.75));
    }

    [Fact]
    public void IsLate_NobodyCanTell_IsTrue()
    {
        var progress = new KernelThreadProgress(s_endless);

        Assert.Null(progress.Begin(int.MaxValue / 8));
        Assert.True(progress.IsLate(int.MaxValue / 8, TimeSpan.Zero));
        Assert.True(progress.IsLate(Native.GetThreadId(), begun: null));
    }

    private void Start(Action work)
    {
        using var started = new ManualResetEventSlim();
        _thread = new Thread(() =>
        {
            _id = Native.GetThreadId();
            started.Set();
            work();
        });
        _thread.Start();
        started.Wait();
    }

    private void Spin()
    {
        while (!_end.IsSet)
        {
            Thread.SpinWait(100);
        }
    }
}
