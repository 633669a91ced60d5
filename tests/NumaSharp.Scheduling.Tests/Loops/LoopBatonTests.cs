using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed class LoopBatonTests
{
    private LoopBaton _baton;

    [Fact]
    public void TryLeave_NotStolen_Succeeds()
    {
        var word = _baton.Enter();

        Assert.True(LoopBaton.IsInCallback(word));
        Assert.True(_baton.TryLeave(word));
        Assert.False(LoopBaton.IsInCallback(_baton.Word));
    }

    [Fact]
    public void TryLeave_Stolen_Fails()
    {
        var word = _baton.Enter();

        Assert.True(_baton.TrySteal(word));
        Assert.False(_baton.TryLeave(word));
    }

    [Fact]
    public void TrySteal_CallbackHasChanged_Fails()
    {
        var seen = _baton.Enter();
        Assert.True(_baton.TryLeave(seen));
        var next = _baton.Enter();

        Assert.False(_baton.TrySteal(seen));
        Assert.True(_baton.TryLeave(next));
    }

    [Fact]
    [Trait("kind", "stress")]
    public void LeaveAndSteal_AtTheSameTime_ExactlyOneWins()
    {
        const int Rounds = 100_000;
        var stolen = 0L;
        using var done = new ManualResetEventSlim();
        var thief = TestThreads.Start(() =>
        {
            while (!done.IsSet)
            {
                var word = _baton.Word;
                if (LoopBaton.IsInCallback(word) && _baton.TrySteal(word))
                {
                    stolen++;
                }
            }
        });
        var left = 0L;
        for (var i = 0; i < Rounds; i++)
        {
            if (_baton.TryLeave(_baton.Enter()))
            {
                left++;
            }
        }

        done.Set();
        Wait.For(thief);

        Assert.Equal(Rounds, left + stolen);
    }
}
