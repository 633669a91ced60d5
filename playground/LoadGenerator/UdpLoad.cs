using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace NumaSharp.Playground.LoadGenerator;

/// <summary>Sends datagrams to the echo and compares what comes back.</summary>
internal sealed class UdpLoad(IOptions<LoadOptions> options, LoadMetrics metrics, ILogger<UdpLoad> logger)
    : PacedLoad("udp", options.Value.Rate, metrics, logger, TimeProvider.System)
{
    private static readonly byte[] s_datagram = [.. Enumerable.Range(0, 64).Select(static number => (byte)number)];

    protected override IEnumerable<string> Targets => options.Value.Udp is { } target ? [target] : [];

    protected override async Task SendAsync(string target, CancellationToken cancellationToken)
    {
        var address = IPEndPoint.Parse(target);
        using var client = new UdpClient(address.AddressFamily);
        client.Connect(address);
        _ = await client.SendAsync(s_datagram, cancellationToken);
        var answer = await client.ReceiveAsync(cancellationToken);
        if (!answer.Buffer.AsSpan().SequenceEqual(s_datagram))
        {
            throw new InvalidDataException($"{answer.Buffer.Length} bytes came back that are not what was sent.");
        }
    }
}
