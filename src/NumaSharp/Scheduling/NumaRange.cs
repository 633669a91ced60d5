namespace NumaSharp.Scheduling;

/// <summary>A part of one node's data: the elements from <see cref="Start"/> up to, not including, <see cref="End"/>.</summary>
/// <param name="NodeIndex">The position in <see cref="NumaTaskScheduler.Plan"/> of the node whose data it is.</param>
/// <param name="Start">The first element.</param>
/// <param name="End">The one behind the last.</param>
public readonly record struct NumaRange(int NodeIndex, int Start, int End)
{
    /// <summary>How many elements it has; at least 1.</summary>
    public int Length => End - Start;
}
