namespace NumaSharp.Scheduling;

// The node as others want to see it; made when somebody asks.
internal sealed partial class WorkerGroup
{
    public NodeSynchronizationContext Context =>
        field ?? Interlocked.CompareExchange(ref field, new NodeSynchronizationContext(this), null) ?? field;

    /// <summary>What is the current synchronization context in this node's work, whoever runs it.</summary>
    public NodeSynchronizationContext? ContextOfItems => Scheduler.UsesSynchronizationContext ? Context : null;

    public NodePipeScheduler PipeScheduler =>
        field ?? Interlocked.CompareExchange(ref field, new NodePipeScheduler(this), null) ?? field;
}
