using System.Net;
using NumaSharp.Hosting.Settings;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting;

/// <summary>
/// Kestrel's transport: section <c>Numa:Transport</c>. With <c>AddNuma</c>,
/// <see cref="EpollTransportOptions.MaxReadBufferSize"/> and <see cref="EpollTransportOptions.MaxWriteBufferSize"/> are from
/// 4 KiB to 1 GiB, or <see langword="null"/> (no limit), which only code can set. Only code can set
/// <see cref="EpollTransportOptions.EndPointOptions"/>, which comes before <see cref="Endpoints"/>.
/// </summary>
public sealed class NumaTransportOptions : EpollTransportOptions
{
    private IList<NumaTransportEndpointOptions> _endpoints = [];

    /// <summary>
    /// Whether the NUMA transport serves; otherwise, and where it cannot (off Linux), Kestrel's own does. Only <c>AddNuma</c>
    /// reads this.
    /// </summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool Enabled { get; set; } = true;

    /// <summary>The number of event loops per node. Only <c>AddNuma</c> reads this; elsewhere the plan decides.</summary>
    /// <value>Default 0: one for each CPU of the node in the plan; up to 4096.</value>
    public int LoopsPerNode { get; set; }

    /// <summary>End points with different socket options.</summary>
    public IList<NumaTransportEndpointOptions> Endpoints => _endpoints;

    internal override EpollTransportOptions Copy()
    {
        var copy = (NumaTransportOptions)base.Copy();
        copy._endpoints = [.. Endpoints.Select(static item => item.Copy())];
        return copy;
    }

    internal override EpollSocketOptions? FindItem(EndPoint endPoint) =>
        Endpoints.FirstOrDefault(item => AddressOf(item).Matches(endPoint));

    internal override void Validate()
    {
        base.Validate();
        foreach (var item in Endpoints)
        {
            item.Validate();
            _ = AddressOf(item);
        }
    }

    private static EndpointAddress AddressOf(NumaTransportEndpointOptions item) =>
        EndpointAddress.TryParse(item.Address, out var address)
            ? address!
            : throw new ArgumentException($"'{item.Address}' names no end point.", nameof(item));
}

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
