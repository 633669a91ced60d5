using System.Diagnostics.CodeAnalysis;

namespace NumaSharp.Interop;

/// <summary>Starts threads of loops and schedulers, which go on with fewer when the system has no more.</summary>
internal static class SystemThread
{
    /// <summary>Starts it without the caller's <see cref="ExecutionContext"/>, which would live as long as the thread.</summary>
    /// <exception cref="OutOfMemoryException">
    /// The system has no more threads, memory or descriptors for this process: what the runtime throws for each of them.
    /// </exception>
    [SuppressMessage("Usage", "CA2201", Justification = "A fault stands for what the runtime throws.")]
    public static void Start(Thread thread)
    {
        if (SystemCallFaults.Hit("clone", -1, out var fault))
        {
            throw new OutOfMemoryException(fault.ErrorName);
        }

        thread.UnsafeStart();
    }
}
