using FsCheck;
using FsCheck.Fluent;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory.Model;

/// <summary>
/// Random operations on an allocator beside a model of it. A failure tells the seed and the shortest list of steps that fails;
/// <c>Config.WithReplay</c> takes the seed.
/// </summary>
public abstract class AllocatorModelTests(NumaMemoryChecks checks)
{
    private const long Limit = 6L << 20;

    [Theory]
    [InlineData(1, NumaBindMode.Advisory, 0, 15)]
    [InlineData(1, NumaBindMode.Strict, Limit, 15)]
    [InlineData(3, NumaBindMode.Advisory, 0, 15)]
    [InlineData(3, NumaBindMode.Strict, Limit, 15)]
    [InlineData(64, NumaBindMode.Advisory, Limit, 2)]
    public void AnySteps_OneAfterTheOther_AgreeWithTheModel(int nodes, NumaBindMode mode, long limit, int cases) =>
        Prop.ForAll(ModelCase.OfSteps(250), steps => DoInTurn(new ModelSetup(checks, nodes, mode, limit), steps.Steps))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(cases));

    [Theory]
    [InlineData(1, NumaBindMode.Strict, 0, 6)]
    [InlineData(3, NumaBindMode.Advisory, Limit, 6)]
    [InlineData(64, NumaBindMode.Advisory, 0, 2)]
    public void AnySteps_OnThreadsAtTheSameTime_AgreeWithTheModel(int nodes, NumaBindMode mode, long limit, int cases) =>
        Prop.ForAll(ModelCase.OfSteps(900), steps => DoAtOnce(new ModelSetup(checks, nodes, mode, limit), steps.Steps))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(cases));

    private static void DoInTurn(ModelSetup setup, IReadOnlyList<ModelStep> steps)
    {
        var model = new AllocatorModel(setup) { IsAlone = true };
        var workers = Enumerable.Range(0, ModelStep.Workers).Select(static _ => new ModelWorker()).ToArray();
        try
        {
            foreach (var step in steps)
            {
                if (step.Action == ModelAction.EndThread)
                {
                    workers[step.Worker].Dispose();
                    workers[step.Worker] = new ModelWorker();
                }
                else if (step.Action == ModelAction.CheckAll)
                {
                    model.CheckAll();
                }
                else
                {
                    workers[step.Worker].Run(() => model.Do(step));
                }
            }

            model.CheckAll();
            model.End(free => workers[steps.Count % ModelStep.Workers].Run(free));
        }
        finally
        {
            Array.ForEach(workers, static worker => worker.Dispose());
        }

        model.AssertNothingIsLeft();
    }

    // Threads end after each round; while they run, nothing is compared that others change.
    private static void DoAtOnce(ModelSetup setup, IReadOnlyList<ModelStep> steps)
    {
        var model = new AllocatorModel(setup);
        foreach (var round in steps.Chunk(300))
        {
            TestMachines.RunOnThreads(ModelStep.Workers, worker =>
            {
                foreach (var step in round.Where(step => step.Worker == worker))
                {
                    model.Do(step);
                }
            });
            model.CheckAll();
        }

        model.End(free => TestMachines.RunOnThreads(ModelStep.Workers, _ => free()));
        model.AssertNothingIsLeft();
    }

    public sealed class Unchecked() : AllocatorModelTests(NumaMemoryChecks.None);

    public sealed class Checked() : AllocatorModelTests(NumaMemoryChecks.Checks);

    public sealed class Hardened() : AllocatorModelTests(NumaMemoryChecks.Hardened);
}
