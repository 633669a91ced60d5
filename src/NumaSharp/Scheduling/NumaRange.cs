namespace NumaSharp.Scheduling;

/// <summary>A part of one node's data: the elements from <see cref="Start"/> up to, not including, <see cref="End"/>.</summary>
public readonly record struct NumaRange
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="nodeIndex"><see cref="NodeIndex"/></param>
    /// <param name="start"><see cref="Start"/></param>
    /// <param name="end"><see cref="End"/></param>
    public NumaRange(int nodeIndex, int start, int end)
    {
        NodeIndex = nodeIndex;
        Start = start;
        End = end;
    }

    /// <summary>The position in <see cref="NumaTaskScheduler.Plan"/> of the node whose data it is.</summary>
    public int NodeIndex { get; init; }

    /// <summary>The first element.</summary>
    public int Start { get; init; }

    /// <summary>The one behind the last.</summary>
    public int End { get; init; }

    /// <summary>How many elements it has; at least 1.</summary>
    public int Length => End - Start;
}
