using NumaSharp.Udp;

namespace NumaSharp.Hosting;

/// <summary>
/// A datagram listener, in the section <c>Numa:Udp:&lt;name&gt;</c>: see <c>AddNumaUdp</c>. The section has keys for the most
/// common options; code can set all of them.
/// </summary>
public sealed class NumaUdpListenerOptions : NumaUdpOptions
{
    /// <summary>
    /// The local address: <c>*</c> for any (of IPv6 and IPv4, if the machine has both), or an IP address. Only <c>AddNumaUdp</c>
    /// reads this; elsewhere the call that binds names the end point.
    /// </summary>
    /// <value>Default <c>*</c>.</value>
    public string Address { get; set; } = "*";

    /// <summary>
    /// The port, 0 to 65535; 0 lets the kernel choose one. Only <c>AddNumaUdp</c> reads this, as <see cref="Address"/>.
    /// </summary>
    /// <value>Default 0.</value>
    public int Port
    {
        get;
        set => (field, IsPortSet) = (value, true);
    }

    /// <summary>Whether anything has set <see cref="Port"/>, to 0, too.</summary>
    internal bool IsPortSet { get; private set; }
}
