using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Tool.Bench;

/// <summary>
/// Our scheduler against .NET's thread pool, both as they start: CPU time of the whole process, so that threads that look for
/// work while others have it are included.
/// </summary>
internal static class SchedulerRows
{
    private const int Loops = 64;

    public static IEnumerable<BenchRow> All =>
    [
        Row(
            "outside cpu",
            static scheduler => new OutsideItems<NumaQueue>(new(scheduler)).Side(),
            static () => new OutsideItems<PoolQueue>(default).Side()),
        Row(
            "inside cpu",
            static scheduler => new InsideItems<NumaQueue>(new(scheduler)).Side(),
            static () => new InsideItems<PoolQueue>(default).Side()),
        Row(
            "await cpu",
            static scheduler => Await((loop, work) => scheduler.RunOnNode(loop % scheduler.Plan.Nodes.Count, work)),
            static () => Await(static (_, work) => Task.Run(work))),
    ];

    private static BenchRow Row(string name, Func<NumaTaskScheduler, BenchSide> ours, Func<BenchSide> theirs) =>
        new(name, "thread pool", "ns/item", IsPinned: false, context =>
        {
            using var scheduler = new NumaTaskScheduler(
                new NumaTaskSchedulerOptions { Plan = NumaPlan.Create(context.Topology) });
            return context.Contest.Compare(ours(scheduler), theirs());
        });

    // Methods that continue on their scheduler again and again.
    private static BenchSide Await(Func<int, Func<Task>, Task> start)
    {
        return new BenchSide(
            count => ProcessCost.Of(() =>
                Task.WhenAll(Enumerable.Range(0, Loops).Select(loop => start(loop, () => YieldAsync(count / Loops))))
                    .GetAwaiter().GetResult()),
            Loops);

        static async Task YieldAsync(int times)
        {
            for (var i = 0; i < times; i++)
            {
                await Task.Yield();
            }
        }
    }
}
