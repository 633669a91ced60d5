namespace NumaSharp.Core;

/// <summary>
/// A lock that is held for a scope, and entered even if the thread is interrupted (<see cref="Thread.Interrupt"/>); the
/// interruption is restored afterwards. For work that must complete.
/// </summary>
internal readonly ref struct UninterruptedLock
{
    private readonly Lock _held;
    private readonly bool _isInterrupted;

    private UninterruptedLock(Lock held, bool isInterrupted)
    {
        _held = held;
        _isInterrupted = isInterrupted;
    }

    // As Interruption.Outlast, without its delegate: blocks are returned through here.
    public static UninterruptedLock Enter(Lock held)
    {
        for (var isInterrupted = false; ; isInterrupted = true)
        {
            try
            {
                held.Enter();
                return new UninterruptedLock(held, isInterrupted);
            }
            catch (ThreadInterruptedException)
            {
                // It has ended the waiting; the lock is not held.
            }
        }
    }

    public void Dispose()
    {
        _held.Exit();
        Interruption.Restore(_isInterrupted);
    }
}
