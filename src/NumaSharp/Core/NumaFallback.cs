namespace NumaSharp.Core;

/// <summary>A request that could not be met, and what is done instead.</summary>
public sealed record NumaFallback
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="feature"><see cref="Feature"/></param>
    /// <param name="message"><see cref="Message"/></param>
    /// <param name="nodeId"><see cref="NodeId"/></param>
    public NumaFallback(string feature, string message, NumaNodeId? nodeId = null)
    {
        Feature = feature;
        Message = message;
        NodeId = nodeId;
    }

    /// <summary>What it concerns, in a few stable words: <c>memory.bind</c>, <c>affinity.pin</c>.</summary>
    public string Feature { get; init; }

    /// <summary>One line for a person: what failed, why, what happens instead, what to do.</summary>
    public string Message { get; init; }

    /// <summary>The node it concerns, if it is one.</summary>
    public NumaNodeId? NodeId { get; init; }
}
