using System.Diagnostics.CodeAnalysis;

namespace NumaSharp.Interop;

/// <summary>
/// Starts threads that the library can do without: loops and schedulers continue with fewer when the system has no more.
/// </summary>
internal static class SystemThread
{
    /// <summary>Starts it without the caller's <see cref="ExecutionContext"/>, which would live as long as the thread.</summary>
    /// <exception cref="OutOfMemoryException">
    /// The system has no more threads, memory or descriptors for this process. Also thrown for a
    /// <see cref="ThreadStartException"/>, by which the runtime reports a thread that lacks memory to run, so that callers have
    /// one exception to expect.
    /// </exception>
    [SuppressMessage("Usage", "CA2201", Justification = "A fault stands for what the runtime throws.")]
    public static void Start(Thread thread)
    {
        try
        {
            if (SystemCallFaults.Hit("clone", -1, out var fault))
            {
                throw new OutOfMemoryException(fault.ErrorName);
            }

            thread.UnsafeStart();
        }
        catch (ThreadStartException exception)
        {
            throw new OutOfMemoryException(exception.Message, exception);
        }
    }
}
