namespace NumaSharp.Scheduling;

/// <summary>Sleeps on a lock of .NET, where there is no futex.</summary>
internal sealed class MonitorParker : Parker
{
    private readonly object _gate = new();
    private bool _signalled;
    private bool _isAsleep;

    public override bool IsAsleep => Volatile.Read(ref _isAsleep);

    public override bool IsSignalled => Volatile.Read(ref _signalled);

    public override bool Wait(int milliseconds = Timeout.Infinite)
    {
        while (true)
        {
            try
            {
                lock (_gate)
                {
                    if (!_signalled)
                    {
                        Volatile.Write(ref _isAsleep, true);
                        Monitor.Wait(_gate, milliseconds);
                    }

                    Volatile.Write(ref _isAsleep, false);
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
                // An item interrupted the thread that ran it, and has ended. The interruption is not for this wait: keep waiting.
                Volatile.Write(ref _isAsleep, false);
            }
        }
    }

    public override void Signal()
    {
        var interrupted = false;
        while (true)
        {
            try
            {
                lock (_gate)
                {
                    Volatile.Write(ref _signalled, true);
                    Monitor.Pulse(_gate);
                    break;
                }
            }
            catch (ThreadInterruptedException)
            {
                // A lost signal would lose a worker for good; the caller is interrupted afterwards.
                interrupted = true;
            }
        }

        if (interrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }
}
