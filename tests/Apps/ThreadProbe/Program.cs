using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Scheduling;
using NumaSharp.ThreadProbe;

// Has one pinned worker of a scheduler be the first in its process that needs the thread pool, timers and sockets, and writes a
// line for each thread that there is then: name, tab, the CPUs that it may run on. The main thread is the line "main".
var granularity = args switch
{
    [var word] when Enum.TryParse<NumaAffinityGranularity>(word, out var parsed) => parsed,
    _ => throw new ArgumentException(string.Join(" | ", Enum.GetNames<NumaAffinityGranularity>())),
};
var plan = NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { Granularity = granularity });
using var scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = plan, ThreadNamePrefix = "worker" });
using var loops = new NumaEventLoopGroup(plan);
using var spawner = new Spawner(loops);
scheduler.QueueOnNode(0, _ => spawner.Run(), state: null);
foreach (var line in spawner.WaitForThreads())
{
    Console.WriteLine(line);
}
