namespace NumaSharp.Core.Memory;

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

    // A free lock costs no delegate.
    public static UninterruptedLock Enter(Lock held) => new(held, !held.TryEnter() && Interruption.Outlast(held.Enter));

    public void Dispose()
    {
        _held.Exit();
        Interruption.Restore(_isInterrupted);
    }
}
