using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting;

/// <summary>
/// Socket options of some end points that differ from those of all: an item of <c>Numa:Transport:Endpoints</c>. Options not set
/// are as in <see cref="NumaTransportOptions"/>; the first item that names an end point counts.
/// </summary>
public sealed class NumaTransportEndpointOptions : IConfiguredItem
{
    /// <summary>
    /// The end points: an address with a port (<c>127.0.0.1:80</c>, <c>[::1]:80</c>, <c>localhost:80</c>, <c>*:80</c> for any
    /// address), the path of a Unix socket, <c>@</c> and an abstract name, or <c>fd:</c> and a file descriptor.
    /// </summary>
    public string Address { get; set; } = "";

    /// <inheritdoc cref="NumaTransportOptions.Backlog"/>
    public int? Backlog { get; set; }

    /// <inheritdoc cref="NumaTransportOptions.NoDelay"/>
    public bool? NoDelay { get; set; }

    /// <inheritdoc cref="NumaTransportOptions.DeferAccept"/>
    public TimeSpan? DeferAccept { get; set; }

    /// <inheritdoc cref="NumaTransportOptions.FastOpen"/>
    public int? FastOpen { get; set; }

    /// <inheritdoc cref="NumaTransportOptions.UserTimeout"/>
    public TimeSpan? UserTimeout { get; set; }

    /// <inheritdoc cref="NumaTransportOptions.KeepAlive"/>
    public bool? KeepAlive { get; set; }

    /// <inheritdoc cref="NumaTransportOptions.KeepAliveTime"/>
    public TimeSpan? KeepAliveTime { get; set; }

    /// <inheritdoc cref="NumaTransportOptions.KeepAliveInterval"/>
    public TimeSpan? KeepAliveInterval { get; set; }

    /// <inheritdoc cref="NumaTransportOptions.KeepAliveRetryCount"/>
    public int? KeepAliveRetryCount { get; set; }

    /// <inheritdoc cref="NumaTransportOptions.BusyPoll"/>
    public TimeSpan? BusyPoll { get; set; }

    /// <inheritdoc cref="NumaTransportOptions.ReceiveBufferSize"/>
    public int? ReceiveBufferSize { get; set; }

    /// <inheritdoc cref="NumaTransportOptions.SendBufferSize"/>
    public int? SendBufferSize { get; set; }

    string? IConfiguredItem.Key { get; set; }
}
