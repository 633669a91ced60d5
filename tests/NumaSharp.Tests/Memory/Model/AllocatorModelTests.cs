using FsCheck;
using FsCheck.Fluent;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory.Model;

/// <summary>
/// Random operations on an allocator beside a model of it. A failure shows the seed and the shortest list of steps that fails;
/// <c>Config.WithReplay</c> takes the seed.
/// </summary>
public abstract class AllocatorModelTests(NumaMemoryCheckMode checks)
{
    private const long Limit = 6L << 20;

    public static IEnumerable<TheoryDataRow<int, NumaBindMode, long, int>> SetupsInTurn => InBothTiers(
        (1, NumaBindMode.Advisory, 0, 15),
        (1, NumaBindMode.Strict, Limit, 15),
        (3, NumaBindMode.Advisory, 0, 15),
        (3, NumaBindMode.Strict, Limit, 15),
        (64, NumaBindMode.Advisory, Limit, 2));

    public static IEnumerable<TheoryDataRow<int, NumaBindMode, long, int>> SetupsAtOnce => InBothTiers(
        (1, NumaBindMode.Strict, 0, 6),
        (3, NumaBindMode.Advisory, Limit, 6),
        (64, NumaBindMode.Advisory, 0, 2));

    [Theory]
    [MemberData(nameof(SetupsInTurn))]
    public void AnySteps_OneAfterTheOther_AgreeWithTheModel(int nodes, NumaBindMode mode, long limit, int cases) =>
        Prop.ForAll(ModelCase.OfSteps(250), steps => DoInTurn(new ModelSetup(checks, nodes, mode, limit), steps.Steps))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(cases));

    [Theory]
    [MemberData(nameof(SetupsAtOnce))]
    public void AnySteps_OnThreadsAtTheSameTime_AgreeWithTheModel(int nodes, NumaBindMode mode, long limit, int cases) =>
        Prop.ForAll(ModelCase.OfSteps(900), steps => DoAtOnce(new ModelSetup(checks, nodes, mode, limit), steps.Steps))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(cases));

    // All cases in the deep tier, a few of them in the default one.
    private static IEnumerable<TheoryDataRow<int, NumaBindMode, long, int>> InBothTiers(
        params IEnumerable<(int Nodes, NumaBindMode Mode, long Limit, int Cases)> setups)
    {
        foreach (var (nodes, mode, limit, cases) in setups)
        {
            yield return new(nodes, mode, limit, Math.Max(1, cases / 10));
            yield return new TheoryDataRow<int, NumaBindMode, long, int>(nodes, mode, limit, cases).WithTrait("tier", "deep");
        }
    }

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
            TestThreads.Run(ModelStep.Workers, worker =>
            {
                foreach (var step in round.Where(step => step.Worker == worker))
                {
                    model.Do(step);
                }
            });
            model.CheckAll();
        }

        model.End(free => TestThreads.Run(ModelStep.Workers, _ => free()));
        model.AssertNothingIsLeft();
    }

    public sealed class Unchecked() : AllocatorModelTests(NumaMemoryCheckMode.None);

    public sealed class Checked() : AllocatorModelTests(NumaMemoryCheckMode.Full);

    public sealed class Hardened() : AllocatorModelTests(NumaMemoryCheckMode.Hardened);
}
