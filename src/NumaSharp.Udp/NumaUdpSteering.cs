namespace NumaSharp.Udp;

/// <summary>Which shard of a socket gets a datagram.</summary>
public enum NumaUdpSteering
{
    /// <summary>
    /// The shard of the CPU that receives it, so that it stays on that CPU's node (SO_ATTACH_REUSEPORT_CBPF, socket(7)). A peer's
    /// datagrams stay together as far as the network device keeps them on one queue.
    /// </summary>
    Cpu,

    /// <summary>The kernel's choice, by the addresses: a peer's datagrams always reach the same shard.</summary>
    Kernel,
}
