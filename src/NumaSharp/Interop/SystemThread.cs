using System.Diagnostics.CodeAnalysis;

namespace NumaSharp.Interop;

/// <summary>
/// Starts all threads of the library. When the system has no more, loops and schedulers continue with fewer; what cannot do
/// without its thread reports that.
/// </summary>
internal static class SystemThread
{
    /// <summary>Starts a thread. Tests replace it, because a system does not run out of threads on demand.</summary>
    internal static Action<Thread> Starter { get; set; } = static thread => thread.UnsafeStart();

    /// <summary>Starts it without the caller's <see cref="ExecutionContext"/>, which would live as long as the thread.</summary>
    /// <exception cref="OutOfMemoryException">
    /// The system has no more threads, memory or descriptors for this process. Also thrown for a
    /// <see cref="ThreadStartException"/>, by which the runtime reports a thread that lacks memory to run, so that callers have
    /// one exception to expect.
    /// </exception>
    [SuppressMessage("Usage", "CA2201", Justification = "The runtime throws it for most of the reasons; callers expect it.")]
    public static void Start(Thread thread)
    {
        try
        {
            Starter(thread);
        }
        catch (ThreadStartException exception)
        {
            throw new OutOfMemoryException(exception.Message, exception);
        }
    }
}
