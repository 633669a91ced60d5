using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class ParkerTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Signal_BeforeTheWait_IsKeptAndCountsOnce(bool isMonitor)
    {
        var parker = Create(isMonitor);
        Assert.False(parker.IsSignalled);
        parker.Signal();
        parker.Signal();
        Assert.True(parker.IsSignalled);

        Assert.True(parker.Wait(0));
        Assert.False(parker.IsSignalled);
        Assert.False(parker.Wait(0));
        Assert.False(parker.Wait(20));
        Assert.False(parker.IsAsleep);
    }

    [Theory]
    [Trait("kind", "stress")]
    [InlineData(false)]
    [InlineData(true)]
    public void Signal_ManyRounds_NoneIsLost(bool isMonitor)
    {
        const int Rounds = 20_000;
        var (ping, pong) = (Create(isMonitor), Create(isMonitor));
        var thread = TestThreads.Start(() =>
        {
            for (var i = 0; i < Rounds; i++)
            {
                ping.Wait();
                pong.Signal();
            }
        });
        for (var i = 0; i < Rounds; i++)
        {
            ping.Signal();
            Assert.True(pong.Wait((int)Wait.Limit.TotalMilliseconds));
        }

        Wait.For(thread);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Wait_ThreadIsInterrupted_Continues(bool isMonitor)
    {
        var parker = Create(isMonitor);
        var outcome = default(Exception);
        var isWoken = false;
        var thread = TestThreads.Start(() =>
        {
            // The first comes before the sleep, the second most likely during it.
            Thread.CurrentThread.Interrupt();
            outcome = Record.Exception(() => { isWoken = parker.Wait(); });
        });
        Wait.Until(() => parker.IsAsleep || !thread.IsAlive);
        thread.Interrupt();
        parker.Signal();
        Wait.For(thread);
        Assert.Null(outcome);
        Assert.True(isWoken);

        // Had an interruption ended the wait, the signal would be left over.
        Assert.False(parker.IsSignalled);
    }

    private static Parker Create(bool isMonitor) => isMonitor ? new MonitorParker() : Parker.Create();
}
