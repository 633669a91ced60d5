using NumaSharp.Transport.Epoll.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

public sealed class FlushBurstTests
{
    private const int Streams = 16;
    private const int LongEnough = 32;

    [Fact]
    public void OnFlush_BurstAfterBurst_EachIsExpectedFromItsFirstFlushOn()
    {
        var burst = AfterBursts();
        for (var i = 0; i < LongEnough; i++)
        {
            Assert.True(burst.IsExpected);
            Flush(ref burst, Streams);
            burst.OnReceived();
        }
    }

    [Fact]
    public void OnFlush_OneForEachRequest_ExpectsNothing()
    {
        var burst = default(FlushBurst);
        for (var i = 0; i < LongEnough; i++)
        {
            Flush(ref burst, 1);
            Assert.False(burst.IsExpected);
            burst.OnReceived();
        }
    }

    [Fact]
    public void OnReceived_SingleResponsesAfterBursts_EndsTheExpectation()
    {
        var burst = AfterBursts();
        for (var i = 0; i < LongEnough; i++)
        {
            Flush(ref burst, 1);
            burst.OnReceived();
        }

        Assert.False(burst.IsExpected);
    }

    [Fact]
    public void OnFlush_TwoResponsesNowAndThen_ExpectsNothing()
    {
        var burst = default(FlushBurst);
        for (var i = 0; i < LongEnough; i++)
        {
            Flush(ref burst, i % 4 == 0 ? 2 : 1);
            burst.OnReceived();
        }

        Assert.False(burst.IsExpected);
    }

    private static FlushBurst AfterBursts()
    {
        var burst = default(FlushBurst);
        for (var i = 0; i < LongEnough; i++)
        {
            Flush(ref burst, Streams);
            burst.OnReceived();
        }

        return burst;
    }

    private static void Flush(ref FlushBurst burst, int count)
    {
        for (var i = 0; i < count; i++)
        {
            burst.OnFlush();
        }
    }
}
