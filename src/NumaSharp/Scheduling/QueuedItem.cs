using System.Diagnostics;

namespace NumaSharp.Scheduling;

/// <summary>An item whose wait is looked at; a <see cref="PooledWork{TState}"/> lies in the queues in its place.</summary>
/// <param name="Item">What was queued.</param>
/// <param name="Group">Where.</param>
/// <param name="QueuedAt">When, as a timestamp of <see cref="Stopwatch"/>.</param>
/// <param name="IsSample">Whether its wait counts for all that nobody looks at.</param>
/// <param name="Parent">The activity that it was queued in, where that is recorded.</param>
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
            // A listener's: the item is nobody's to lose for that.
            Group.Scheduler.ReportUnhandled(e);
        }

        Item.Execute();
    }
}
