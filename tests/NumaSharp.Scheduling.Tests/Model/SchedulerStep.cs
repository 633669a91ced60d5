using FsCheck;
using FsCheck.Fluent;

namespace NumaSharp.Scheduling.Tests.Model;

/// <summary>A step; any list of steps makes sense.</summary>
/// <param name="Action">What is done.</param>
/// <param name="Node">On which node, or with which of the machines.</param>
/// <param name="Count">How many items.</param>
internal readonly record struct SchedulerStep(SchedulerAction Action, int Node, int Count)
{
    private static Gen<SchedulerAction> Actions => Gen.Frequency(
        (20, Gen.Choose((int)SchedulerAction.Callback, (int)SchedulerAction.QueueMore)
            .Select(static action => (SchedulerAction)action)),
        (4, Gen.Elements(SchedulerAction.WaitForInner, SchedulerAction.WaitForAll, SchedulerAction.Apply)),
        (1, Gen.Elements(SchedulerAction.Block, SchedulerAction.Dispose)));

    private static Gen<SchedulerStep> Any =>
        from action in Actions
        from node in Gen.Choose(0, 2)
        from count in Gen.Choose(1, 40)
        select new SchedulerStep(action, node, count);

    public static Arbitrary<SchedulerStep[]> Lists(int length) =>
        Arb.From(Gen.ArrayOf(Any, length), static steps => Shorter(steps));

    // Without a half, a quarter, and so on to a single step.
    private static IEnumerable<SchedulerStep[]> Shorter(SchedulerStep[] steps)
    {
        for (var length = steps.Length / 2; length > 0; length /= 2)
        {
            for (var first = 0; first + length <= steps.Length; first += length)
            {
                yield return [.. steps.Take(first), .. steps.Skip(first + length)];
            }
        }
    }
}
