using System.Runtime.CompilerServices;

namespace NumaSharp.Scheduling.Tests;

/// <summary>
/// What is awaited to go on on a thread of the pool: always there, while an <c>await</c> of what has ended goes on where it is.
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
