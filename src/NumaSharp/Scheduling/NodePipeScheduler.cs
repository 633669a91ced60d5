using System.IO.Pipelines;

namespace NumaSharp.Scheduling;

/// <summary>One node as a pipe scheduler.</summary>
internal sealed class NodePipeScheduler(WorkerGroup group) : PipeScheduler
{
    public override void Schedule(Action<object?> action, object? state)
    {
        ArgumentNullException.ThrowIfNull(action);
        group.Scheduler.Continue(group, new WorkItem(action, state), isFair: false);
    }
}
