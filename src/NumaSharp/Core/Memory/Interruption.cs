namespace NumaSharp.Core.Memory;

/// <summary>For what must be brought to its end although the thread is interrupted (<see cref="Thread.Interrupt"/>).</summary>
internal static class Interruption
{
    /// <summary>
    /// Does what may wait. An interruption ends waiting only, before anything is done: then it is tried again.
    /// </summary>
    /// <returns>Whether the thread was interrupted; to be told to <see cref="Restore"/>.</returns>
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

    /// <summary>The next wait of the thread is interrupted instead.</summary>
    public static void Restore(bool isInterrupted)
    {
        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }
}
