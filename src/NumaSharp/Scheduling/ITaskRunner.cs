namespace NumaSharp.Scheduling;

/// <summary>A task scheduler seen from its workers: <see cref="TaskScheduler.TryExecuteTask"/> is protected.</summary>
internal interface ITaskRunner
{
    void Run(Task task);
}
