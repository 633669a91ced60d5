using System.Diagnostics;

namespace NumaSharp.Scheduling;

// The kernel wakes a thread where it ran last or where its waker runs, and is slow to separate threads that share a CPU while
// another is idle: two workers that were once woken on the same CPU keep taking turns there, burst after burst.
internal sealed partial class Worker
{
    private static readonly long s_apartTicks = Stopwatch.Frequency / 100;

    private int _lastCpu = -1;
    private long _apartAt;

    /// <summary>The CPU that it ran on when it last ran out of work; -1 if unknown.</summary>
    public int LastCpu => Volatile.Read(ref _lastCpu);

    // Before it sleeps, at most every 10 ms: moves itself to a CPU on which no lower worker sleeps.
    private void KeepApart()
    {
        var cpus = _placement!.CpusOf(Slot);
        if (cpus is not { Count: > 1 })
        {
            return;
        }

        var cpu = Group.Scheduler.CurrentCpu();
        Volatile.Write(ref _lastCpu, cpu);
        var now = Stopwatch.GetTimestamp();
        if (cpu < 0 || Slot == 0 || Slot >= cpus.Count || now - _apartAt < s_apartTicks || !Group.IsLastCpuOfOthers(cpu, Slot))
        {
            return;
        }

        _apartAt = now;
        var free = cpus.Except(Group.LastCpusBelow(Slot));
        if (!free.IsEmpty)
        {
            _placement.MoveTo(free, Slot);
            Volatile.Write(ref _lastCpu, Group.Scheduler.CurrentCpu());
        }
    }
}
