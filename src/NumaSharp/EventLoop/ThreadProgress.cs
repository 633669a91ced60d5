namespace NumaSharp.EventLoop;

/// <summary>
/// Tells a thread that blocks or computes from one that only waits for a CPU. Asked by the watchdog alone, and only about a
/// thread that has been in one callback for a whole sample or more.
/// </summary>
internal abstract class ThreadProgress
{
    /// <summary>Begins to look at a thread.</summary>
    /// <returns>The CPU time that it has used; <see langword="null"/> when that is not to be had.</returns>
    public abstract TimeSpan? Begin(int threadId);

    /// <summary>Whether the thread keeps its loop by what it does. True when nobody can tell.</summary>
    /// <param name="threadId">The thread.</param>
    /// <param name="begun">What <see cref="Begin"/> gave.</param>
    public abstract bool IsLate(int threadId, TimeSpan? begun);
}
