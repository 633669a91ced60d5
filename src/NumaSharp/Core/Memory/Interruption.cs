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

    /// <summary>Interrupts the next wait of the thread instead.</summary>
    public static void Restore(bool isInterrupted)
    {
        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }
}
