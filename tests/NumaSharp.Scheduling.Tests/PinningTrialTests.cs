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
        Assert.True(result.Least > 0, "Each thread has worked in each turn.");
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

    // The default on one node: both ways are the same.
    [Fact]
    public void Run_ThreadsMayUseAllCpusAnyway_SaysSo()
    {
        var result = new PinningTrial(TestMachine.Plan(2), new FakeAffinity()).Run(TestContext.Current.CancellationToken);
        Assert.StartsWith("with these settings threads may use all CPUs", result.Reason, StringComparison.Ordinal);
    }

    // Something with a higher priority has the CPU: the threads never come.
    [Fact]
    public void Run_AThreadGetsNoCpu_GivesUp()
    {
        // Not disposed of: the threads are left behind.
        var never = new ManualResetEventSlim();
        var affinity = new FakeAffinity { OnPinning = () => never.Wait() };
        try
        {
            var result = Trial(affinity, patience: TimeSpan.FromMilliseconds(1)).Run(TestContext.Current.CancellationToken);
            Assert.StartsWith("not all threads got a CPU", result.Reason, StringComparison.Ordinal);
        }
        finally
        {
            never.Set();
        }
    }

    [Theory]
    [InlineData("1.20 times", "pinning pays", 1.1, 1.2, 1.2, 1.3)]
    [InlineData("1.01 times", "pinning makes no difference", 0.96, 1.0, 1.04, 1.04)]
    [InlineData("1.02 times", "this says nothing", 0.9, 1.0, 1.04, 1.14)]
    [InlineData("0.70 times", "pinning costs", 0.6, 0.7, 0.7, 0.8)]
    [InlineData("0.80 times", "this says nothing", 0.6, 0.7, 0.94, 0.96)]
    public void Of_Pairs_JudgesByAllOfThem(string gain, string verdict, params double[] pairs)
    {
        var result = PinningTrialResult.Of(4, pairs.Select(static pair => (pair, 1.0)));
        Assert.Contains(gain, result.ToString(), StringComparison.Ordinal);
        Assert.EndsWith(verdict, result.ToString(), StringComparison.Ordinal);
    }

    private static PinningTrial Trial(INumaAffinityProvider affinity, TimeSpan? patience = null) =>
        new(TestMachine.Plan(2, 1), affinity)
        {
            Turn = TimeSpan.FromMilliseconds(1),
            Patience = patience ?? TimeSpan.FromMinutes(1),
        };
}
