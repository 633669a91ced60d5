namespace NumaSharp.Core;

/// <summary>For work that must complete although the thread is interrupted (<see cref="Thread.Interrupt"/>).</summary>
internal static class Interruption
{
    /// <summary>
    /// Runs an action to its end. An interruption only ends its waiting: the action is then run again, from the start, and the
    /// interruption is restored after it.
    /// </summary>
    /// <param name="action">May be repeated wherever it waits.</param>
    public static void Outlast(Action action)
    {
        for (var isInterrupted = false; ; isInterrupted = true)
        {
            try
            {
                action();
                Restore(isInterrupted);
                return;
            }
            catch (ThreadInterruptedException)
            {
                // Again.
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
