using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Tests.Run;

public sealed class RestartDelayTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public void After_ShortRuns_DoublesUpToTheLimit()
    {
        var delay = new RestartDelay(s_second, s_second * 5);

        Assert.Equal([1, 2, 4, 5, 5], Enumerable.Range(0, 5).Select(_ => delay.After(TimeSpan.Zero).TotalSeconds));
    }

    [Fact]
    public void After_HealthyRun_StartsOver()
    {
        var delay = new RestartDelay(s_second, s_second * 60);
        _ = delay.After(TimeSpan.Zero);
        _ = delay.After(TimeSpan.Zero);

        Assert.Equal(s_second, delay.After(s_second * 60));
        Assert.Equal(s_second * 2, delay.After(s_second * 59));
    }

    [Fact]
    public void After_LongestWaits_NeverOverflow()
    {
        var delay = new RestartDelay(s_second, TimeSpan.MaxValue);

        Assert.All(Enumerable.Range(0, 200), _ => Assert.True(delay.After(TimeSpan.Zero) >= s_second));
    }
}
