using NumaSharp.Core;

namespace NumaSharp.TestKit.Tests;

public sealed class TestThreadsTests
{
    [Fact]
    public void Run_OneFails_ThrowsWhatThatThrew() => Assert.Throws<InvalidDataException>(static () => TestThreads.Run(3, index =>
    {
        if (index == 1)
        {
            throw new InvalidDataException();
        }
    }));

    [Fact]
    public void RunOn_OneCpu_IsConfinedThereAndTheCallerIsNot()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has sched_setaffinity.");
        var before = Allowed();
        var one = CpuSet.FromIds(before.Last);

        Assert.Equal(one, TestThreads.RunOn(one, Allowed));
        Assert.Equal(before, Allowed());
    }

    [Fact]
    public void ParkedThread_UntilItIsDisposedOf_IsThere()
    {
        Thread? thread = null;
        using (new ParkedThread(() => thread = Thread.CurrentThread))
        {
            Assert.True(thread!.IsAlive);
        }

        Assert.False(thread.IsAlive);
    }

    [Fact]
    public void ParkedThread_WorkFails_ThrowsWhatItThrew() =>
        Assert.Throws<InvalidDataException>(static () => new ParkedThread(static () => throw new InvalidDataException()));

    [Fact]
    public void Gate_DisposedOf_LetsPass()
    {
        using var gate = new Gate();
        var thread = TestThreads.Start(gate.Pass);
        Assert.False(gate.IsOpen);
        gate.Dispose();

        Wait.For(thread);
        Assert.True(gate.IsOpen);
    }

    private static CpuSet Allowed()
    {
        NumaPlatform.Default.Affinity.GetThreadCpus(out var cpus).ThrowIfFailed("sched_getaffinity");
        return cpus;
    }
}
