using NumaSharp.EventLoop;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed class ThreadActivityTests : IDisposable
{
    private readonly Gate _end = new();
    private Thread? _thread;

    public ThreadActivityTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "Threads are looked at through Linux.");

    public void Dispose()
    {
        _end.Dispose();
        if (_thread is not null)
        {
            Wait.For(_thread);
        }
    }

    [Fact]
    public void Describe_Blocks_SaysSo()
    {
        var id = Start(_end.Pass);

        // It may be on its way to the wait, which it begins with naps. Where it waits is in the text if the kernel shows it.
        var said = "";
        Wait.Until(() => (said = ThreadActivity.Describe(id, share: 0)).StartsWith("blocks", StringComparison.Ordinal));
        Assert.Matches(@"^blocks( \([a-z0-9_]+\))?$", said);
    }

    [Fact]
    public void Describe_IsRunnable_TellsComputingFromWaitingByItsShareOfACpu()
    {
        var id = Start(Spin);

        // A garbage collection may hold it for a moment, which the kernel shows as a wait.
        Wait.Until(() => ThreadActivity.Describe(id, share: 0.5) == "computes");
        Wait.Until(() => ThreadActivity.Describe(id, share: null) == "computes");
        Wait.Until(() => ThreadActivity.Describe(id, share: 0.01) == "waits for a CPU");
    }

    [Fact]
    public void Describe_ThreadThatIsNotThere_SaysSo() =>
        Assert.Equal("cannot be inspected", ThreadActivity.Describe(int.MaxValue / 8, share: 0));

    private int Start(Action work)
    {
        using var started = new ManualResetEventSlim();
        var id = 0;
        _thread = TestThreads.Start(() =>
        {
            id = Native.GetThreadId();
            started.Set();
            work();
        });
        Wait.For(started);
        return id;
    }

    private void Spin()
    {
        while (!_end.IsOpen)
        {
            Thread.SpinWait(100);
        }
    }
}
