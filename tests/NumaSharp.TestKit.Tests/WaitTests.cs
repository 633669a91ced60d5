namespace NumaSharp.TestKit.Tests;

public sealed class WaitTests
{
    [Fact]
    public async Task Until_TheConditionComesTrue_Returns()
    {
        var asked = 0;
        Wait.Until(() => ++asked == 3);
        Assert.Equal(3, asked);
        await Wait.UntilAsync(() => ++asked == 6);
        Assert.Equal(6, asked);
    }

    [Fact]
    public void Until_TheConditionThrows_ThrowsThat() =>
        Assert.Throws<InvalidDataException>(() => Wait.Until(static () => throw new InvalidDataException()));

    [Fact]
    public void For_ThreadThatEnds_ReturnsAndDoesNotAskWhetherToGoOn()
    {
        var isAsked = false;
        Wait.For(TestThreads.Start(static () => { }), () => isAsked = true);
        Assert.False(isAsked);
    }

    [Fact]
    public void WhileItCounts_CountedDown_Returns()
    {
        using var countdown = new CountdownEvent(2);
        var thread = TestThreads.Start(() =>
        {
            countdown.Signal();
            countdown.Signal();
        });
        Wait.WhileItCounts(countdown);
        Assert.True(countdown.IsSet);
        Wait.For(thread);
    }

    [Fact]
    public void UntilBlocked_TheThreadBlocks_Returns()
    {
        using var gate = new Gate();
        var thread = TestThreads.Start(gate.Pass);
        Wait.UntilBlocked(thread);
        Assert.True(thread.IsAlive);
        gate.Open();
        Wait.For(thread);
    }

    [Fact]
    public void UntilBlocked_TheThreadEnds_FailsAndSaysWhatItCameTo()
    {
        var thread = TestThreads.Start(static () => { });

        // It may block for a moment while it starts.
        Wait.For(thread);
        var failure = Assert.ThrowsAny<Exception>(() => Wait.UntilBlocked(thread, static () => "It was free."));
        Assert.Contains("thread has not blocked but ended: It was free.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task For_ATaskThatHasFailed_ThrowsWhatItThrew()
    {
        var failed = Task.FromException<int>(new InvalidDataException());
        Assert.Throws<InvalidDataException>(() => Wait.For(failed));
        await Assert.ThrowsAsync<InvalidDataException>(() => failed.Within());
    }

    [Fact]
    public async Task Within_ATokenThatIsCancelled_Ends()
    {
        using var source = new CancellationTokenSource();
        var waiting = source.Token.Within();
        Assert.False(waiting.IsCompleted);
        await source.CancelAsync();
        await waiting;
    }
}
