using System.Diagnostics;

namespace NumaSharp.Scheduling;

/// <summary>An item whose wait is measured; a <see cref="PooledWork{TState}"/> stands for it in the queues.</summary>
/// <param name="Item">The queued item.</param>
/// <param name="Group">The group that it was queued on.</param>
/// <param name="QueuedAt">The time of queueing, as a timestamp of <see cref="Stopwatch"/>.</param>
/// <param name="IsSample">Whether its wait stands for those of the unmeasured items.</param>
/// <param name="Parent">The activity that it was queued in, if that is recorded.</param>
internal readonly record struct QueuedItem(WorkItem Item, WorkerGroup Group, long QueuedAt, bool IsSample, Activity? Parent)
{
    public void Execute()
    {
        try
        {
            Group.Scheduler.NoteStart(this);
        }
        catch (Exception e)
        {
            // A listener threw: the item must run all the same.
            Group.Scheduler.ReportUnhandled(e);
        }

        Item.Execute();
    }
}
