using FsCheck;
using FsCheck.Fluent;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests.Model;

/// <summary>
/// Random operations on a scheduler beside what they must come to. A failure shows the seed and the shortest list of steps
/// that fails; <c>Config.WithReplay</c> takes the seed.
/// </summary>
public sealed class SchedulerModelTests
{
    /// <summary>Policy, compensation, and how many lists of steps: a few, and in the deep tier many.</summary>
    public static TheoryData<NumaSchedulingPolicy, bool, int> Schedulers
    {
        get
        {
            var rows = new TheoryData<NumaSchedulingPolicy, bool, int>();
            foreach (var (policy, compensate) in ((NumaSchedulingPolicy, bool)[])
                [
                    (NumaSchedulingPolicy.NodeStrict, true), (NumaSchedulingPolicy.NodeStrict, false),
                    (NumaSchedulingPolicy.LocalityFirst, true), (NumaSchedulingPolicy.LocalityFirst, false),
                    (NumaSchedulingPolicy.Spread, true),
                ])
            {
                rows.Add(policy, compensate, 8);
                rows.Add(new TheoryDataRow<NumaSchedulingPolicy, bool, int>(policy, compensate, 80).WithTrait("tier", "deep"));
            }

            return rows;
        }
    }

    [Theory]
    [MemberData(nameof(Schedulers))]
    public void AnySteps_RunEveryItemOnceInItsPlace(NumaSchedulingPolicy policy, bool compensate, int lists) =>
        Prop.ForAll(SchedulerStep.Lists(30), steps =>
        {
            using var scheduler = new ModelledScheduler(policy, compensate);
            Array.ForEach(steps, scheduler.Do);
            scheduler.AssertAllRanOnce();
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(lists));
}
