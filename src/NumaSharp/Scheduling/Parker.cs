namespace NumaSharp.Scheduling;

/// <summary>
/// Where one thread sleeps until it is signalled. A signal that comes first is kept, several count as one.
/// </summary>
internal sealed class Parker
{
    private readonly object _gate = new();
    private bool _signalled;

    /// <summary>Sleeps until there is a signal, and consumes it.</summary>
    /// <param name="milliseconds">The limit, or <see cref="Timeout.Infinite"/>.</param>
    /// <returns>Whether there was a signal within the limit.</returns>
    public bool Wait(int milliseconds = Timeout.Infinite)
    {
        // Who woke this thread may have lost its CPU to it and have more to queue: its next signal is then cheap for both.
        if (!Volatile.Read(ref _signalled))
        {
            Thread.Yield();
        }

        while (true)
        {
            try
            {
                lock (_gate)
                {
                    if (!_signalled)
                    {
                        Monitor.Wait(_gate, milliseconds);
                    }

                    var signalled = _signalled;
                    _signalled = false;
                    if (signalled || milliseconds != Timeout.Infinite)
                    {
                        return signalled;
                    }
                }
            }
            catch (ThreadInterruptedException)
            {
                // An item interrupted the thread that ran it, and ended. This wait is not the item's: go on waiting.
            }
        }
    }

    /// <summary>Ends the sleep, or the next one.</summary>
    public void Signal()
    {
        var interrupted = false;
        while (true)
        {
            try
            {
                lock (_gate)
                {
                    _signalled = true;
                    Monitor.Pulse(_gate);
                    break;
                }
            }
            catch (ThreadInterruptedException)
            {
                // A signal that is not given loses a worker for good; the caller gets its interruption afterwards.
                interrupted = true;
            }
        }

        if (interrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }
}
