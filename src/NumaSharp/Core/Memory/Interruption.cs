namespace NumaSharp.Core.Memory;

/// <summary>For work that must complete although the thread is interrupted (<see cref="Thread.Interrupt"/>).</summary>
internal static class Interruption
{
    /// <summary>
    /// Runs an action that may wait. An interruption only ends its waiting, before anything is done: then it is tried again.
    /// </summary>
    /// <returns>Whether the thread was interrupted; to be passed to <see cref="Restore"/>.</returns>
    public static bool Outlast(Action action)
    {
        var isInterrupted = false;
        while (true)
        {
            try
            {
                action();
                return isInterrupted;
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
        }
    }

    /// <summary>Waits until another thread has cleared its flag.</summary>
    public static void WaitWhile(ref readonly bool isSet)
    {
        var (wait, isInterrupted) = (default(SpinWait), false);
        while (Volatile.Read(in isSet))
        {
            try
            {
                // Sleeps now and then, which an interruption ends.
                wait.SpinOnce();
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
        }

        Restore(isInterrupted);
    }

    /// <summary>Interrupts the next wait of the thread instead.</summary>
    public static void Restore(bool isInterrupted)
    {
        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }
}
