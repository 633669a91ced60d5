using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Scheduling.Tests;

public sealed class PinningTrialTests
{
    [Fact]
    public void Run_AsManyThreadsAsWorkers_ArePinnedAsPlannedHalfOfTheTurns()
    {
        using var machine = new SimulatedMachine(TestMachines.Row(2, 1));
        var result = Trial(machine.Platform.Affinity).Run(TestContext.Current.CancellationToken);

        Assert.Equal((3, null), (result.Threads, result.Reason));
        Assert.InRange(result.Gain, result.Least, result.Most);
        Assert.True(result.Least > 0);
        string[][] masks =
        [
            .. machine.Calls.Where(static call => call.Operation == SimulatedOperation.SetThreadCpus)
                .GroupBy(static call => call.ThreadId, static call => call.Cpus.ToString())
                .Select(static set => set.ToArray()),
        ];
        Assert.Equal(["0-1", "0-1", "2"], masks.Select(static set => set[0]).Order());

        // Once while it takes its memory, then once a turn.
        Assert.All(masks, static set => Assert.Equal(
            [set[0], set[0], "0-2", "0-2", set[0], set[0], "0-2", "0-2", set[0]], set));
    }

    [Fact]
    public void Run_PinningIsRefused_SaysWhy()
    {
        using var machine = new SimulatedMachine(TestMachines.Row(2, 1));
        machine.Inject(new SimulatedFault(SimulatedOperation.SetThreadCpus, SimulatedError.EPERM) { After = 4 });
        var result = Trial(machine.Platform.Affinity).Run(TestContext.Current.CancellationToken);
        Assert.Contains("(EPERM)", result.Reason, StringComparison.Ordinal);
        Assert.Equal((false, false), (result.Pays, result.Costs));
        Assert.StartsWith("not measured: threads cannot be pinned to CPUs ", result.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_Cancelled_Ends()
    {
        using var cancellation = new CancellationTokenSource();
        var affinity = new FakeAffinity { OnPinning = cancellation.Cancel };
        await Assert.ThrowsAsync<OperationCanceledException>(
            () => Task.Run(() => Trial(affinity).Run(cancellation.Token)).Within());
    }

    [Theory]
    [InlineData("1.20 times", "pinning pays", 1.1, 1.2, 1.2, 1.3)]
    [InlineData("1.02 times", "pinning makes no difference", 0.9, 1.0, 1.04, 1.14)]
    [InlineData("0.70 times", "pinning costs", 0.6, 0.7, 0.7, 0.8)]
    [InlineData("0.80 times", "pinning makes no difference", 0.6, 0.7, 0.94, 0.96)]
    public void Of_Pairs_JudgesByAllOfThem(string gain, string verdict, params double[] pairs)
    {
        var result = PinningTrialResult.Of(4, pairs.Select(static pair => (pair, 1.0)));
        Assert.Contains(gain, result.ToString(), StringComparison.Ordinal);
        Assert.EndsWith(verdict, result.ToString(), StringComparison.Ordinal);
    }

    private static PinningTrial Trial(INumaAffinityProvider affinity) =>
        new(TestMachine.Plan(2, 1), affinity) { Turn = TimeSpan.FromMilliseconds(1) };
}
