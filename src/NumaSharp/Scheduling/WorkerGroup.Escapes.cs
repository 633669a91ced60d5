using System.Runtime.InteropServices;

namespace NumaSharp.Scheduling;

// Counts asynchronous work that began on this node and ended on a thread that is none of the scheduler's workers. Where a method
// ran in between is unknown: the runtime does not report an await that leaves.
internal sealed partial class WorkerGroup
{
    private PaddedCounter _escapes;

    public long Escapes => Volatile.Read(ref _escapes.Value);

    /// <summary>Checks where a task that work on this node has returned ends.</summary>
    public T Watch<T>(T task)
        where T : Task
    {
        // A task that runs its continuations elsewhere does not show where it ended. Null is left to the runtime to reject.
        if (task is { IsCompleted: false } && (task.CreationOptions & TaskCreationOptions.RunContinuationsAsynchronously) == 0)
        {
            // On the pool's scheduler, which runs it in place on any thread; a node's would queue it.
            _ = task.ContinueWith(
                static (_, state) => ((WorkerGroup)state!).NoteEnd(),
                this,
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously | TaskContinuationOptions.DenyChildAttach,
                TaskScheduler.Default);
        }

        return task;
    }

    /// <summary>Called by the thread on which asynchronous work of this node has ended.</summary>
    public void NoteEnd()
    {
        // After the end nothing can be on a node any more, and the rest runs on the pool as it should.
        if (Worker.Current?.Group.Scheduler != Scheduler && !Scheduler.IsStopped)
        {
            Interlocked.Increment(ref _escapes.Value);
        }
    }

    // Written by threads of the pool: must not share a line that the workers read all the time.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct PaddedCounter
    {
        [FieldOffset(128)]
        public long Value;
    }
}
