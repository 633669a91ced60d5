using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Transport;

/// <summary>What Kestrel measures of its connections does not depend on the transport.</summary>
public sealed class KestrelMetricsTests
{
    // One more, one less, and how long.
    private const int Measurements = 3;

    private static readonly string[] s_instruments = ["kestrel.active_connections", "kestrel.connection.duration"];

    public KestrelMetricsTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

    [Theory]
    [InlineData(AddressFamily.InterNetwork)]
    [InlineData(AddressFamily.InterNetworkV6)]
    [InlineData(AddressFamily.Unix)]
    public async Task Measurements_OfOneConnection_AreThoseOfTheStockTransport(AddressFamily family)
    {
        IPv6.SkipUnlessThere(family);
        var stock = await MeasureAsync(family, isOurs: false);
        var ours = await MeasureAsync(family, isOurs: true);

        Assert.Equal(stock, ours);
        Assert.Contains(
            family == AddressFamily.Unix ? "network.transport=unix" : "network.transport=tcp", ours[0], StringComparison.Ordinal);
    }

    // One measurement per line: the instrument, its change where it is a counter, and its tags without the test's own address.
    private static async Task<List<string>> MeasureAsync(AddressFamily family, bool isOurs)
    {
        using var folder = new TemporaryFolder();
        EndPoint endPoint = family switch
        {
            AddressFamily.Unix => new UnixDomainSocketEndPoint(folder.PathOf("socket")),
            AddressFamily.InterNetworkV6 => new IPEndPoint(IPAddress.IPv6Loopback, 0),
            _ => new IPEndPoint(IPAddress.Loopback, 0),
        };
        var measured = new ConcurrentQueue<string>();
        using var listener = new MeterListener();
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => measured.Enqueue(
            $"{instrument.Name} {value:+0;-0} {TextOf(tags, folder)}"));
        listener.SetMeasurementEventCallback<double>((instrument, _, tags, _) => measured.Enqueue(
            $"{instrument.Name} {TextOf(tags, folder)}"));
        await using (var server = await EndPointServer.StartAsync(
            kestrel => kestrel.Listen(endPoint), null, ("Numa:Transport:Enabled", isOurs ? "true" : "false")))
        {
            var scope = server.Services.GetRequiredService<IMeterFactory>();
            listener.InstrumentPublished = (instrument, meters) =>
            {
                if (ReferenceEquals(instrument.Meter.Scope, scope) && s_instruments.Contains(instrument.Name))
                {
                    meters.EnableMeasurementEvents(instrument);
                }
            };
            listener.Start();
            var address = family == AddressFamily.Unix ? "http://localhost/" : server.Addresses[0];
            Assert.Equal(
                isOurs ? EndPointServer.Ours : EndPointServer.Stock,
                await EndPointServer.GetAsync(address, family == AddressFamily.Unix ? endPoint : null));

            // The client has closed; a stop that comes before Kestrel has seen it would be measured as the end's reason.
            await Wait.UntilAsync(() => measured.Count == Measurements, () => $"{measured.Count} measured");
        }

        return [.. measured.Order(StringComparer.Ordinal)];
    }

    private static string TextOf(ReadOnlySpan<KeyValuePair<string, object?>> tags, TemporaryFolder folder) => string.Join(
        ", ",
        tags.ToArray()
            .Where(static tag => tag.Key != "server.port")
            .Select(tag => $"{tag.Key}={tag.Value}".Replace(folder.PathOf(""), "", StringComparison.Ordinal))
            .Order(StringComparer.Ordinal));
}
