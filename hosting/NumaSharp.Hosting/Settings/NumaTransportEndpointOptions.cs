using NumaSharp.Hosting.Configuration;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting;

/// <summary>
/// Socket options of some end points that differ from those of all: an item of <c>Numa:Transport:Endpoints</c>. An option that
/// is not set is as in <see cref="NumaTransportOptions"/>; the first item that names an end point counts.
/// </summary>
public sealed class NumaTransportEndpointOptions : EpollSocketOptions, IConfiguredItem
{
    /// <summary>
    /// The end points: an address with a port (<c>127.0.0.1:80</c>, <c>[::1]:80</c>, <c>localhost:80</c>, <c>*:80</c> for any
    /// address), the path of a Unix socket, <c>@</c> and an abstract name, or <c>fd:</c> and a file descriptor.
    /// </summary>
    public string Address { get; set; } = "";

    string? IConfiguredItem.Key { get; set; }

    internal override NumaTransportEndpointOptions Copy() => (NumaTransportEndpointOptions)base.Copy();
}
