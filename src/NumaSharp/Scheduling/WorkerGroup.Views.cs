namespace NumaSharp.Scheduling;

// The node behind other APIs; created on first use.
internal sealed partial class WorkerGroup
{
    public NodeSynchronizationContext Context =>
        field ?? Interlocked.CompareExchange(ref field, new NodeSynchronizationContext(this), null) ?? field;

    /// <summary>
    /// The current synchronization context in this node's work, on any worker; none if the scheduler uses none.
    /// </summary>
    public NodeSynchronizationContext? ContextOfItems => Scheduler.UsesSynchronizationContext ? Context : null;

    public NodePipeScheduler PipeScheduler =>
        field ?? Interlocked.CompareExchange(ref field, new NodePipeScheduler(this), null) ?? field;
}
