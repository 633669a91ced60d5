using FsCheck;
using FsCheck.Fluent;
using NumaSharp.Scheduling;

namespace NumaSharp.Tests.Scheduling.Model;

/// <summary>
/// Random operations on a scheduler beside what they must come to. A failure tells the seed and the shortest list of steps
/// that fails; <c>Config.WithReplay</c> takes the seed.
/// </summary>
public sealed class SchedulerModelTests
{
    [Theory]
    [InlineData(NumaSchedulingPolicy.NodeStrict, true)]
    [InlineData(NumaSchedulingPolicy.NodeStrict, false)]
    [InlineData(NumaSchedulingPolicy.LocalityFirst, true)]
    [InlineData(NumaSchedulingPolicy.LocalityFirst, false)]
    [InlineData(NumaSchedulingPolicy.Spread, true)]
    public void AnySteps_RunEveryItemOnceInItsPlace(NumaSchedulingPolicy policy, bool compensate) =>
        Prop.ForAll(SchedulerStep.Lists(30), steps =>
        {
            using var scheduler = new ModelledScheduler(policy, compensate);
            Array.ForEach(steps, scheduler.Do);
            scheduler.AssertAllRanOnce();
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(40));
}
