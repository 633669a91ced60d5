namespace NumaSharp.EventLoop;

/// <summary>
/// Distinguishes a thread that blocks or computes from one that only waits for a CPU. Used by the watchdog alone, and only for a
/// thread that has been in one callback for a whole sample or more.
/// </summary>
internal abstract class ThreadProgress
{
    /// <summary>Starts a sample of a thread.</summary>
    /// <returns>The CPU time that it has used; <see langword="null"/> if it cannot be read.</returns>
    public abstract TimeSpan? Begin(int threadId);

    /// <summary>Whether the thread itself keeps its loop. True if that is unknown.</summary>
    /// <param name="threadId">The thread.</param>
    /// <param name="begun">The result of <see cref="Begin"/>.</param>
    public abstract bool IsLate(int threadId, TimeSpan? begun);
}
