namespace NumaSharp.Scheduling;

/// <summary>Another group as one sees it that may take work from it.</summary>
internal sealed class Neighbour(WorkerGroup group, int distance)
{
    /// <summary>That of a node to itself (ACPI, SLIT).</summary>
    public const int LocalDistance = 10;

    // What memory farther away costs applies to a part of an item's run time only.
    private const int CostShare = 2;

    public WorkerGroup Group => group;

    public int Distance => distance;

    /// <summary>
    /// Whether taking from there pays: no worker there is idle, woken or searching, and what waits would wait longer for one of
    /// them than it takes longer here. Overdue work is left to an idle worker only: a woken or searching one may get no CPU.
    /// </summary>
    public bool IsWorthStealing =>
        group.IsOverdue ? group.IdleCount == 0 : group.IsSaturated && group.HasBacklog(MinimumBacklog);

    private long MinimumBacklog => (long)group.BaseCount * (distance - LocalDistance) / (LocalDistance * CostShare);
}
