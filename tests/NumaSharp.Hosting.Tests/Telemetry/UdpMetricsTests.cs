using System.Diagnostics.Metrics;
using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Tests.Telemetry;

public sealed class UdpMetricsTests
{
    [Fact]
    public async Task Points_OfASocket_AreWhatItDidAndStayWhenItIsClosed()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "NUMA datagram sockets need Linux.");
        var builder = NumaHost.CreateBuilder();
        builder.AddNuma();
        using var host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        var factory = host.Services.GetRequiredService<NumaUdpSocketFactory>();
        var meters = host.Services.GetRequiredService<IMeterFactory>();
        Assert.Empty(MetricReading.Take(meters).PerNode(NumaTelemetry.UdpDatagrams));

        await using (var server = factory.Bind(
            new IPEndPoint(IPAddress.Loopback, 0), new EchoHandler(), new NumaUdpOptions { Shards = 1 }))
        {
            using var client = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            client.ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds;
            client.Connect(server.LocalEndPoint);
            for (var i = 0; i < 3; i++)
            {
                client.Send([1, 2, 3, 4, 5]);
                Assert.Equal(5, client.Receive(new byte[8]));
            }

            // An answer comes before it is counted, its bytes last.
            await Wait.UntilAsync(() => server.GetStatistics()[0].SentBytes == 15);
            Assert.Equal([1], MetricReading.Take(meters).PerNode(NumaTelemetry.UdpSockets));
            Expect(MetricReading.Take(meters));
        }

        Assert.Equal([0], MetricReading.Take(meters).PerNode(NumaTelemetry.UdpSockets));
        Expect(MetricReading.Take(meters));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    private static void Expect(MetricReading reading)
    {
        Assert.Equal([3, 3], reading.PerNode(NumaTelemetry.UdpDatagrams));
        Assert.Equal([15, 15], reading.PerNode(NumaTelemetry.UdpIo));
        Assert.InRange(Assert.Single(reading.PerNode(NumaTelemetry.UdpReceives)), 1, 3);
        Assert.Equal([0, 0, 0, 0], reading.PerNode(NumaTelemetry.UdpDrops));
        Assert.Equal([0, 0, 0, 0, 0], reading.PerNode(NumaTelemetry.UdpErrors));
        Assert.Equal([0], reading.PerNode(NumaTelemetry.UdpRestarts));
    }
}
