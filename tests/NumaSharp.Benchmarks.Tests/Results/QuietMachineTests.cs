using NumaSharp.Playground.Benchmarks.Results;

namespace NumaSharp.Benchmarks.Tests.Results;

public sealed class QuietMachineTests
{
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(1);

    [Fact]
    public async Task WaitAsync_LoadThatFalls_EndsWhenItIsLow()
    {
        var looks = new Queue<string>(["2.00 1 1 1/1 1", "0.60 1 1 1/1 1", "0.40 1 1 1/1 1", "9.00 1 1 1/1 1"]);

        await new QuietMachine(looks.Dequeue, s_look, Wait.Limit).WaitAsync(TestContext.Current.CancellationToken).Within();

        Assert.Equal("9.00 1 1 1/1 1", Assert.Single(looks));
    }

    [Fact]
    public async Task WaitAsync_LoadThatStays_EndsAtTheLimit()
    {
        var looks = 0;
        var machine = new QuietMachine(
            () =>
            {
                looks++;
                return "2.00 1 1 1/1 1";
            },
            s_look,
            TimeSpan.FromMilliseconds(20));

        await machine.WaitAsync(TestContext.Current.CancellationToken).Within();

        Assert.NotEqual(0, looks);
    }

    [Fact]
    public async Task WaitAsync_Cancelled_Ends()
    {
        using var source = new CancellationTokenSource();
        var waiting = new QuietMachine(static () => "2.00 1 1 1/1 1", s_look, Wait.Limit).WaitAsync(source.Token);

        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting).Within();
    }
}
