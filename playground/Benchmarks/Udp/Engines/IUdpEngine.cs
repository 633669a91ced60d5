using System.Net;

namespace NumaSharp.Playground.Benchmarks.Udp.Engines;

/// <summary>One way to receive, echo or send datagrams. Any thread may read its counts.</summary>
internal interface IUdpEngine : IDisposable
{
    /// <summary>Where it is bound.</summary>
    IPEndPoint EndPoint { get; }

    /// <summary>Datagrams received, or sent by <see cref="SendAsync"/>.</summary>
    long Datagrams { get; }

    /// <summary>Begins to receive, and to send back what comes if it is an echo.</summary>
    void Start(bool isEcho);

    /// <summary>Sends datagrams to a peer for a while, as fast as it can.</summary>
    Task SendAsync(IPEndPoint target, int size, TimeSpan length);
}
