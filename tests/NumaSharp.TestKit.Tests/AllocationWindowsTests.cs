namespace NumaSharp.TestKit.Tests;

public sealed class AllocationWindowsTests
{
    [Fact]
    [Trait("kind", "allocation")]
    public void Least_EachRoundAllocatesOnAnotherThread_IsAtLeastThat()
    {
        var allocations = AllocationWindows.OfProcess(patience: TimeSpan.Zero);
        var kept = new byte[500][];
        var windows = 0;
        for (; allocations.Begin(); windows++)
        {
            TestThreads.Run(() =>
            {
                for (var i = 0; i < allocations.Rounds; i++)
                {
                    kept[i] = new byte[100];
                }
            });
            allocations.End();
        }

        Assert.InRange(allocations.Least, 8 * 100, long.MaxValue);
        Assert.InRange(windows, 2, 100);
        Assert.NotNull(kept[0]);
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void OfThread_WindowEndsOnAnotherThread_DoesNotCount()
    {
        var allocations = AllocationWindows.OfThread();
        Assert.True(allocations.Begin());
        TestThreads.Run(allocations.End);

        Assert.Equal(long.MaxValue, allocations.Least);
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void OfThread_OnlyOtherThreadsAllocate_IsNothing()
    {
        var allocations = AllocationWindows.OfThread();
        using var end = new ManualResetEventSlim();
        object? kept = null;
        var other = TestThreads.Start(() =>
        {
            do
            {
                Volatile.Write(ref kept, new byte[100]);
            }
            while (!end.IsSet);
        });
        Wait.Until(() => Volatile.Read(ref kept) is not null);
        while (allocations.Begin())
        {
            allocations.End();
        }

        end.Set();
        Wait.For(other);
        Assert.Equal(0, allocations.Least);
    }
}
