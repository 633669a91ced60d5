namespace NumaSharp.Scheduling.Tests.Model;

internal enum SchedulerAction
{
    Callback,
    Item,
    Task,
    FairTask,
    TaskWithoutNode,
    AsyncTask,
    CancelledTask,
    LongTask,
    Throw,
    QueueMore,
    Block,
    WaitForInner,
    WaitForAll,
    Apply,
    Dispose,
}
