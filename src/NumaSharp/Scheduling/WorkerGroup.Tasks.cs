using System.Globalization;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling;

internal sealed partial class WorkerGroup
{
    /// <summary>The queued tasks of a scheduler, for the debugger.</summary>
    public IEnumerable<Task> TasksOf(ITaskRunner runner)
    {
        var items = Queue.Snapshot().Concat(_slots.OfType<Worker>().SelectMany(static worker => worker.Deque.Snapshot()));
        return [.. items.Select(item => item.TaskOf(runner)).OfType<Task>()];
    }

    /// <summary>Runs a long task on a thread of its own on this node.</summary>
    /// <exception cref="OutOfMemoryException">
    /// The system has no thread for it. The task's creator gets it as a <see cref="TaskSchedulerException"/>, as on .NET's own
    /// scheduler.
    /// </exception>
    public void RunOnThread(Task task, ITaskRunner runner)
    {
        void Run()
        {
            Placement.PinWorker(int.MaxValue);
            runner.Run(task);
        }

        SystemThread.Start(new Thread(Run)
        {
            IsBackground = true,
            Name = string.Create(CultureInfo.InvariantCulture, $"{Scheduler.ThreadNamePrefix}{Node.NodeId}-long"),
        });
    }

    /// <summary>Takes any item, the longest queued first; for threads that are not workers of this group.</summary>
    public bool TryTakeAny(out WorkItem item)
    {
        if (Queue.TryDequeue(out item))
        {
            return true;
        }

        foreach (var victim in Workers)
        {
            if (victim is not null && victim.Deque.TrySteal(out item))
            {
                return true;
            }
        }

        return false;
    }
}
