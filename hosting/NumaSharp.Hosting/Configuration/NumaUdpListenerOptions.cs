namespace NumaSharp.Hosting;

/// <summary>
/// A datagram listener, in the section <c>Numa:Udp:&lt;name&gt;</c>: see <c>AddNumaUdp</c>.
/// </summary>
public sealed class NumaUdpListenerOptions
{
    /// <summary>The local address: <c>*</c> for any (of IPv6 and IPv4, if the machine has both), or an IP address.</summary>
    /// <value>Default <c>*</c>.</value>
    public string Address { get; set; } = "*";

    /// <summary>The port, 0 to 65535; 0 lets the kernel choose one.</summary>
    /// <value>Default 0.</value>
    public int Port { get; set; }

    /// <inheritdoc cref="NumaSharp.Udp.NumaUdpOptions.Shards"/>
    public int Shards { get; set; }

    /// <inheritdoc cref="NumaSharp.Udp.NumaUdpOptions.BatchSize"/>
    public int BatchSize { get; set; } = 32;

    /// <inheritdoc cref="NumaSharp.Udp.NumaUdpOptions.ReceiveBufferSize"/>
    public int ReceiveBufferSize { get; set; }

    /// <inheritdoc cref="NumaSharp.Udp.NumaUdpOptions.SendBufferSize"/>
    public int SendBufferSize { get; set; }

    /// <inheritdoc cref="NumaSharp.Udp.NumaUdpOptions.Gso"/>
    public bool Gso { get; set; } = true;

    /// <inheritdoc cref="NumaSharp.Udp.NumaUdpOptions.Gro"/>
    public bool Gro { get; set; } = true;

    /// <inheritdoc cref="NumaSharp.Udp.NumaUdpOptions.CoalesceDelay"/>
    public TimeSpan CoalesceDelay { get; set; }

    /// <inheritdoc cref="NumaSharp.Udp.NumaUdpOptions.Steering"/>
    public NumaSharp.Udp.NumaUdpSteering Steering { get; set; }

    /// <inheritdoc cref="NumaSharp.Udp.NumaUdpOptions.DropOwnSource"/>
    public bool? DropOwnSource { get; set; }

    /// <inheritdoc cref="NumaSharp.Udp.NumaUdpOptions.SharePort"/>
    public bool SharePort { get; set; }
}
