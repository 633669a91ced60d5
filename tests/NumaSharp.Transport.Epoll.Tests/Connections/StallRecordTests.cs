using NumaSharp.Transport.Epoll.Dispatching;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

public sealed class StallRecordTests
{
    private readonly ManualTime _time = new();
    private readonly StallRecord _record;

    public StallRecordTests() => _record = new StallRecord(_time);

    [Fact]
    public void OnHandedOver_AgainAndAgain_LeavesAtTheLimit() => Assert.Equal(StallRecord.Limit, HandOversUntilItLeaves());

    [Fact]
    public void OnHandedOver_NowAndThen_Stays()
    {
        for (var i = 0; i < 10 * StallRecord.Limit; i++)
        {
            Assert.False(_record.OnHandedOver());
            _time.Advance(StallRecord.Window);
        }
    }

    [Fact]
    public void OnHandedOver_HasLeftAlready_CountsNoMore()
    {
        HandOversUntilItLeaves();

        Assert.False(_record.OnHandedOver());
    }

    [Fact]
    public void TryEndStay_AfterTheStay_ComesBackOnce()
    {
        Assert.False(_record.TryEndStay());
        HandOversUntilItLeaves();
        _time.Advance(StallRecord.Stay - TimeSpan.FromTicks(1));
        Assert.False(_record.TryEndStay());
        _time.Advance(TimeSpan.FromTicks(1));

        Assert.True(_record.TryEndStay());
        Assert.False(_record.TryEndStay());
    }

    [Fact]
    public void OnHandedOver_SoonAfterItCameBack_LeavesAtOnce()
    {
        HandOversUntilItLeaves();
        _time.Advance(StallRecord.Stay);
        Assert.True(_record.TryEndStay());

        Assert.True(_record.OnHandedOver());
    }

    [Fact]
    public void OnHandedOver_LongAfterItCameBack_CountsFromTheStart()
    {
        HandOversUntilItLeaves();
        _time.Advance(StallRecord.Stay);
        Assert.True(_record.TryEndStay());
        _time.Advance(StallRecord.Window);

        Assert.Equal(StallRecord.Limit, HandOversUntilItLeaves());
    }

    private int HandOversUntilItLeaves()
    {
        var count = 1;
        while (!_record.OnHandedOver())
        {
            Assert.InRange(++count, 1, 100);
        }

        return count;
    }
}
