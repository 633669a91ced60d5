namespace NumaSharp.Core;

/// <summary>
/// Undoes what application code may have changed on a library thread that ran it, as the thread pool does for its own.
/// </summary>
internal static class BorrowedThread
{
    /// <summary>
    /// Costs three reads if nothing was changed: called by the thread itself before it waits, not after every call. A
    /// foreground thread would keep the process from ending.
    /// </summary>
    public static void Reset(Thread thread, string name)
    {
        if (thread.Priority != ThreadPriority.Normal)
        {
            thread.Priority = ThreadPriority.Normal;
        }

        if (!thread.IsBackground)
        {
            thread.IsBackground = true;
        }

        if (!ReferenceEquals(thread.Name, name))
        {
            thread.Name = name;
        }
    }
}
