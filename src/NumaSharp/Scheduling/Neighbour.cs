namespace NumaSharp.Scheduling;

/// <summary>Another group, as seen by a group that may steal from it.</summary>
internal sealed class Neighbour(WorkerGroup group, int distance)
{
    /// <summary>The distance of a node to itself (ACPI, SLIT).</summary>
    public const int LocalDistance = 10;

    // Remote memory slows down only a part of an item's run time.
    private const int CostShare = 2;

    public WorkerGroup Group => group;

    public int Distance => distance;

    /// <summary>
    /// Whether stealing from it pays: no worker there is idle, woken or searching, and its items would wait longer for one of
    /// them than running remotely costs. Overdue work is left to an idle worker only: a woken or searching one may get no CPU.
    /// </summary>
    public bool IsWorthStealing =>
        group.IsOverdue ? group.IdleCount == 0 : group.IsSaturated && group.HasBacklog(MinimumBacklog);

    private long MinimumBacklog => (long)group.BaseCount * (distance - LocalDistance) / (LocalDistance * CostShare);
}
