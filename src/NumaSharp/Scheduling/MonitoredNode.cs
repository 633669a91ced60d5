using NumaSharp.Core;
using NumaSharp.Core.Memory;

namespace NumaSharp.Scheduling;

/// <summary>The state that the <see cref="BlockingMonitor"/> keeps of a node between two checks.</summary>
internal sealed class MonitoredNode(WorkerGroup group)
{
    // Busy workers, not only blocked ones, get help, so that a long item does not starve others. But at growing intervals:
    // threads do not add CPUs.
    private const int FirstBusyDelayLooks = 4;
    private const int LastBusyDelayLooks = 128;

    private int _busyLooks;

    public WorkerGroup Group => group;

    /// <summary>Reported while the system has no more threads, and work waits.</summary>
    public ClaimedFallback NoSpare { get; } = group.Scheduler.FallbackOf(FallbackCatalog.SchedulerSpare, group.Node.NodeId);

    /// <summary>The number of checks in a row at which work waited.</summary>
    public int SaturatedLooks { get; set; }

    public int ExcessLooks { get; set; }

    public int BusyDelay { get; set; }

    public bool IsBusyDelayOver()
    {
        if (BusyDelay == 0)
        {
            (BusyDelay, _busyLooks) = (FirstBusyDelayLooks, 0);
            return true;
        }

        if (++_busyLooks < BusyDelay)
        {
            return false;
        }

        (BusyDelay, _busyLooks) = (Math.Min(BusyDelay * 2, LastBusyDelayLooks), 0);
        return true;
    }

    public void Reset()
    {
        (SaturatedLooks, ExcessLooks, BusyDelay) = (0, 0, 0);
        NoSpare.End();
        foreach (var worker in group.Workers)
        {
            if (worker is not null)
            {
                worker.StaleLooks = 0;
            }
        }
    }
}
