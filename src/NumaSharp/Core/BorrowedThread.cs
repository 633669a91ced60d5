namespace NumaSharp.Core;

/// <summary>
/// Undoes what application code may have set on a thread of ours that ran it, as the thread pool does for its own.
/// </summary>
internal static class BorrowedThread
{
    /// <summary>
    /// Three reads, 5 ns, where nothing was set: by the thread itself before it waits, not after every call. A thread that stays
    /// in the foreground keeps the process from ending.
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
