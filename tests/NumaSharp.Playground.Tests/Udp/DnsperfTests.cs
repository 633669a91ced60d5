extern alias udp;
using System.Globalization;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Udp;
using udp::NumaSharp.Playground.Udp.Dns;

namespace NumaSharp.Playground.Tests.Udp;

/// <summary>The responder and dnsperf(1), which checks numbers and codes of what it is answered.</summary>
public sealed class DnsperfTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Dnsperf_ManyClients_EachQueryIsAnswered()
    {
        ExternalProgram.SkipUnlessThere("dnsperf");
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>(StringComparer.Ordinal)
        {
            ["Numa:Udp:dns:Address"] = "127.0.0.1",
            ["Numa:Udp:dns:Port"] = "0",
            ["Zone:Name"] = "numa.test",
            ["Zone:Server"] = "ns1.numa.test",
            ["Zone:Contact"] = "hostmaster.numa.test",
            ["Zone:TimeToLive"] = "300",
            ["Zone:Records:0:Name"] = "www.numa.test",
            ["Zone:Records:0:Type"] = "A",
            ["Zone:Records:0:Value"] = "192.0.2.10",
        });
        builder.Services.AddSingleton(DnsZone.Read(builder.Configuration.GetSection("Zone")));
        builder.AddNumaUdp<DnsHandler>("dns");
        using var host = builder.Build();
        await host.StartAsync();
        var socket = Assert.Single(host.Services.GetRequiredService<NumaUdpSocketFactory>().Sockets);
        var queries = _folder.PathOf("queries");
        await File.WriteAllTextAsync(queries, "www.numa.test A\nnobody.numa.test A\nnuma.test SOA\nwww.numa.test TXT\n");

        // No more at once than the smallest receive buffer holds, so that not one may be lost; late is not lost.
        var output = await ExternalProgram.RunAsync(
            "dnsperf", "-s", "127.0.0.1", "-p", socket.LocalEndPoint.Port.ToString(CultureInfo.InvariantCulture),
            "-d", queries, "-c", "8", "-q", "50", "-n", "2500", "-t", $"{Wait.Limit.TotalSeconds}");
        await host.StopAsync();

        Assert.Equal(
            (10_000, 10_000, 0),
            (Number(output, "Queries sent"), Number(output, "Queries completed"), Number(output, "Queries lost")));
        Assert.Contains("NXDOMAIN", output, StringComparison.Ordinal);
        Assert.DoesNotContain("SERVFAIL", output, StringComparison.Ordinal);
        Assert.DoesNotContain("Unexpected", output, StringComparison.OrdinalIgnoreCase);
    }

    private static int Number(string output, string name)
    {
        var match = Regex.Match(output, $@"{name}:\s+(\d+)", RegexOptions.None, Timeout.InfiniteTimeSpan);
        Assert.True(match.Success, output);
        return int.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture);
    }
}
