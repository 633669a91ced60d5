using System.IO.Pipelines;

namespace NumaSharp.Scheduling;

// Ways to move running code to a node. Continuations are never refused: after the end they run on the thread pool.
public sealed partial class NumaTaskScheduler
{
    /// <summary>
    /// <c>await</c> this to continue on a worker of a node: at once when the caller is on one, else queued there. A later
    /// <c>await</c> of something else may leave the node again, unless it captures the node's
    /// <see cref="GetSynchronizationContext">context</see>. After <see cref="Dispose"/> the method continues on the thread pool.
    /// </summary>
    /// <remarks>
    /// Allocates nothing beyond the <c>async</c> method itself. Under <see cref="NumaSchedulingPolicy.LocalityFirst"/> an idle
    /// worker of another node may take the continuation, like any work. It is no task: <see cref="TaskScheduler.Current"/> is the
    /// default one.
    /// </remarks>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>What to await.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public NumaSwitchAwaitable SwitchTo(int nodeIndex)
    {
        CheckIndex(nodeIndex);
        return new NumaSwitchAwaitable(_groupOfNode[nodeIndex], isYield: false);
    }

    /// <summary>
    /// <c>await</c> this to return to the workers: continues at once when the caller is on any worker of this scheduler, else on
    /// the node of the CPU that the caller runs on (in turn under <see cref="NumaSchedulingPolicy.Spread"/>).
    /// </summary>
    /// <returns>What to await.</returns>
    /// <inheritdoc cref="SwitchTo(int)" path="/remarks"/>
    public NumaSwitchAwaitable SwitchTo() =>
        new(GroupOfCaller is null ? GroupForTask() : null, isYield: false);

    /// <summary>
    /// <c>await</c> this to let others go first: the continuation queues behind all work that waits on the caller's node. Outside
    /// the workers it goes to the node of the CPU that the caller runs on (in turn under
    /// <see cref="NumaSchedulingPolicy.Spread"/>).
    /// </summary>
    /// <returns>What to await.</returns>
    /// <inheritdoc cref="SwitchTo(int)" path="/remarks"/>
    public NumaSwitchAwaitable Yield() =>
        new(GroupOfCaller ?? GroupForTask(), isYield: true);

    /// <summary>
    /// A node as a synchronization context: with it as the current one, <c>await</c> returns to the node. Several workers run
    /// posted callbacks, in no particular order and at the same time. It is the current one in all work of a scheduler with
    /// <see cref="NumaTaskSchedulerOptions.UseSynchronizationContext"/>.
    /// </summary>
    /// <remarks>
    /// <see cref="SynchronizationContext.Post"/> flows <see cref="ExecutionContext"/> and passes exceptions to
    /// <see cref="NumaTaskSchedulerOptions.UnhandledException"/>; <see cref="SynchronizationContext.Send"/> runs in place on a
    /// worker of the node, else waits, and throws the callback's exception. After <see cref="Dispose"/> both use the thread pool.
    /// </remarks>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The context of the node; always the same one, and that of the serving node where it has no CPUs.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public SynchronizationContext GetSynchronizationContext(int nodeIndex)
    {
        CheckIndex(nodeIndex);
        return _groupOfNode[nodeIndex].Context;
    }

    /// <summary>
    /// A node as a pipe scheduler, for <see cref="PipeOptions"/>. Scheduled actions do not get the caller's
    /// <see cref="ExecutionContext"/>; a <see cref="Pipe"/> flows that of its users by itself. Exceptions go to
    /// <see cref="NumaTaskSchedulerOptions.UnhandledException"/>. After <see cref="Dispose"/> it uses the thread pool.
    /// </summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The pipe scheduler of the node; always the same one.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public PipeScheduler GetPipeScheduler(int nodeIndex)
    {
        CheckIndex(nodeIndex);
        return _groupOfNode[nodeIndex].PipeScheduler;
    }

    /// <summary>Queues a continuation: after the end it runs on the thread pool.</summary>
    internal void Continue(WorkerGroup group, WorkItem item, bool isFair) => Enqueue(group, item, isFair);

    internal TaskScheduler SchedulerOf(WorkerGroup group) => _schedulerOfNode[group.NodeIndex];
}
