namespace NumaSharp.Core;

/// <summary>A network interface with hardware behind it, and the node that it is attached to. Immutable.</summary>
public sealed record NumaNetworkDevice
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="name"><see cref="Name"/></param>
    /// <param name="nodeId"><see cref="NodeId"/></param>
    public NumaNetworkDevice(string name, NumaNodeId? nodeId)
    {
        Name = name;
        NodeId = nodeId;
    }

    /// <summary>The interface's name, such as <c>eth0</c>.</summary>
    public string Name { get; init; }

    /// <summary>
    /// The kernel id of the node (<c>/sys/class/net/*/device/numa_node</c>), or <see langword="null"/> if firmware does not
    /// report it.
    /// </summary>
    public NumaNodeId? NodeId { get; init; }
}
