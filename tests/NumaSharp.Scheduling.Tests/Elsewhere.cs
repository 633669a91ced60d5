using System.Runtime.CompilerServices;

namespace NumaSharp.Scheduling.Tests;

/// <summary>
/// Awaited to continue on a thread of the pool, always: an <c>await</c> of something that has ended continues where it is.
/// </summary>
internal readonly struct Elsewhere : ICriticalNotifyCompletion
{
    public bool IsCompleted => false;

    public Elsewhere GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) =>
        ThreadPool.QueueUserWorkItem(static go => go(), continuation, preferLocal: false);

    public void UnsafeOnCompleted(Action continuation) =>
        ThreadPool.UnsafeQueueUserWorkItem(static go => go(), continuation, preferLocal: false);
}
