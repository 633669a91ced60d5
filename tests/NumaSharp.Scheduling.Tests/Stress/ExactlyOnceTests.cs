using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests.Stress;

/// <summary>
/// Up to a hundred million items, one scheduler after the other: random producers from outside and inside, stealing, blocked
/// workers and their spares, plans that change, and an end at a random moment.
/// </summary>
public sealed class ExactlyOnceTests
{
    private const int Producers = 3;
    private const int Step = 10_000;

    // More workers than CPUs: what makes interleavings is that they are preempted.
    private static readonly string[] s_machines = ["0", "0-1", "0,4", "0-1,4-5", "0-2,4,8-9"];
    private static readonly int[] s_perFirst = [1, 2, 8, 32];

    [Theory]
    [InlineData(1_000_000)]
    [InlineData(100_000_000, Traits = ["tier", "deep"])]
    public async Task Items_UntilARandomEnd_RunExactlyOnce(long items)
    {
        long ran = 0;
        for (var seed = 0; ran < items; seed++)
        {
            var findings = new StressFindings();
            ran += await RunToTheEnd(new Random(seed), seed, findings);
            Assert.False(findings.Any, $"With the seed {seed}, after {ran} items:{Environment.NewLine}{findings}");
        }
    }

    private static async Task<long> RunToTheEnd(Random random, int seed, StressFindings findings)
    {
        var isBlocking = seed % 4 == 0;
        var machine = s_machines[random.Next(s_machines.Length)];
        var plan = NumaPlan.Create(TestMachines.ReadAllowed(machine, "0-2"));
        var options = TestMachine.Options(plan, (NumaSchedulingPolicy)(seed % 3));
        options.CompensateBlocking = isBlocking;
        options.UnhandledException = findings.Add;
        options.DrainTimeout = TimeSpan.FromMilliseconds(random.Next(3) * 100);
        var scheduler = new NumaTaskScheduler(options);
        var batches = Enumerable.Range(0, Producers).Select(producer => new StressBatch(
            scheduler,
            findings,
            producer,
            s_perFirst[random.Next(s_perFirst.Length)],
            isBlocking ? StressBatch.Size : 0)).ToArray();
        var end = random.NextInt64(isBlocking ? 200_000 : 2_500_000);
        using var stop = new CancellationTokenSource();
        Task[] threads =
        [
            .. batches.Select(batch => OnThread(() => findings.Guard(() =>
            {
                while (batch.RunRound())
                {
                }
            }))),
            OnThread(() => findings.Guard(() => ChangePlans(scheduler, machine, stop.Token))),
        ];

        // How long all of them take is the machine's business.
        for (var reached = 0L; reached < end && !findings.Any;)
        {
            reached = Math.Min(reached + Step, end);
            Wait.Until(() => findings.Any || Executed(scheduler) >= reached);
        }

        scheduler.Dispose();
        await stop.CancelAsync();
        await Task.WhenAll(threads);
        return batches.Sum(static batch => batch.Ran);
    }

    private static long Executed(NumaTaskScheduler scheduler) =>
        Enumerable.Range(0, scheduler.Plan.Nodes.Count).Sum(scheduler.GetExecuted);

    // CPUs go and come back, down to one.
    private static void ChangePlans(NumaTaskScheduler scheduler, string machine, CancellationToken stop)
    {
        string[] machines = ["0", machine, CpuSet.ParseList(machine).Last().ToString(CultureInfo.InvariantCulture), machine];
        for (var i = 0; !stop.WaitHandle.WaitOne(1); i++)
        {
            scheduler.Apply(scheduler.Plan.Adapt(TestMachines.ReadAllowed(machines[i % machines.Length], "0-2")).Plan);
        }
    }

    private static Task OnThread(Action work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
