namespace NumaSharp.Core;

/// <summary>Blocks of an allocator or a pool that are in use and come from the same place in the code.</summary>
public readonly record struct NumaLiveBlocks
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="site"><see cref="Site"/></param>
    /// <param name="nodeId"><see cref="NodeId"/></param>
    /// <param name="blocks"><see cref="Blocks"/></param>
    /// <param name="bytes"><see cref="Bytes"/></param>
    internal NumaLiveBlocks(string site, NumaNodeId nodeId, long blocks, long bytes)
    {
        Site = site;
        NodeId = nodeId;
        Blocks = blocks;
        Bytes = bytes;
    }

    /// <summary>
    /// The methods, the innermost first, with the offset of the call in IL; empty where no stack trace was taken.
    /// </summary>
    public string Site { get; init; }

    /// <summary>The kernel id of the node that they belong to.</summary>
    public NumaNodeId NodeId { get; init; }

    /// <summary>How many.</summary>
    public long Blocks { get; init; }

    /// <summary>How many bytes were requested.</summary>
    public long Bytes { get; init; }
}
