namespace NumaSharp.Tests.Scheduling.Model;

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
