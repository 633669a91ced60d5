namespace NumaSharp.TestKit.Tests;

public sealed class ProcessAllocationsTests
{
    [Fact]
    [Trait("kind", "allocation")]
    public void Least_EachRoundAllocatesOnAnotherThread_IsAtLeastThat()
    {
        var allocations = new ProcessAllocations();
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
}
