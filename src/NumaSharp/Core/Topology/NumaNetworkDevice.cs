namespace NumaSharp.Core;

/// <summary>A network interface with hardware behind it, and the node that it is attached to. Immutable.</summary>
/// <param name="Name">The interface's name, such as <c>eth0</c>.</param>
/// <param name="NodeId">
/// The kernel id of the node (<c>/sys/class/net/*/device/numa_node</c>), or <see langword="null"/> where firmware does not tell.
/// </param>
public sealed record NumaNetworkDevice(string Name, int? NodeId);
