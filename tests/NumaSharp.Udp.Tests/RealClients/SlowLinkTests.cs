using System.Globalization;
using System.Net;

namespace NumaSharp.Udp.Tests.RealClients;

/// <summary>
/// Sending to a device that is slower than we are: a pair of virtual ones (veth(4)), ours held back by tc-tbf(8). What waits
/// there is charged to the socket, which loopback never does.
/// </summary>
public sealed class SlowLinkTests : IAsyncLifetime
{
    private const int Datagrams = 500;
    private const int Size = 1200;

    // Slower than any machine sends, until a send has had to wait; then all of it takes a second.
    private const string Slow = "8kbit";
    private const string Fast = "5mbit";

    // Locally administered.
    private const string HardwareAddress = "02:00:c6:12:07:02";

    // Another run's may be left, or at work beside this one. Names have at most 15 characters; of the block for benchmarks
    // (198.18.0.0/15, RFC 2544) a link takes four addresses: two links with the same would get each other's datagrams.
    private static readonly int s_number = Random.Shared.Next(1, 1 << 15);
    private static readonly string s_id = $"{s_number:x4}";
    private static readonly IPAddress s_ours = Address(1);
    private static readonly IPAddress s_theirs = Address(2);

    private readonly string _namespace = $"numasharp-slow-{s_id}";
    private readonly string _device = $"numa-{s_id}";
    private readonly UdpMachine _machine = new();
    private bool _hasNamespace;
    private bool _hasDevice;

    private static IPEndPoint Remote => new(s_theirs, 9);

    public async ValueTask InitializeAsync()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "Network namespaces take root.");
        ExternalProgram.SkipUnlessThere("ip");
        ExternalProgram.SkipUnlessThere("tc");
        try
        {
            await MakeLinkAsync();
        }
        catch
        {
            // A test that does not begin is not disposed: what exists would be left over for the next.
            await DisposeAsync();
            throw;
        }
    }

    // The device first: a namespace takes its devices with it some time after the command has returned, and the next test has
    // the same address.
    public async ValueTask DisposeAsync()
    {
        _machine.Dispose();
        if (_hasDevice)
        {
            await IpAsync("link", "delete", _device);
        }

        if (_hasNamespace)
        {
            await IpAsync("netns", "delete", _namespace);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task SendAsync_FasterThanTheLink_WaitsAndLosesNothing(bool gso)
    {
        await using var socket = _machine.Bind(
            options => (options.Shards, options.Gso, options.SendBufferSize) = (1, gso, 100_000),
            new IPEndPoint(IPAddress.Any, 0));
        var shard = socket.Shards[0];
        using var batch = shard.CreateBatch();
        var before = await ArrivedAsync();
        var waits = 0;
        for (var sent = 0; sent < Datagrams;)
        {
            batch.Clear();
            while (batch.Count < 20 && batch.TryAdd(Remote.Serialize().Buffer.Span[..16], new byte[Size]))
            {
            }

            var sending = shard.SendAsync(batch);
            if (!sending.IsCompleted && ++waits == 1)
            {
                var isFast = await SetRateAsync("change", Fast);
                Assert.True(isFast.Succeeded, isFast.ToString());
            }

            sent += await sending;
        }

        Assert.InRange(waits, 1, Datagrams);
        var arrived = 0L;
        await Wait.UntilAsync(
            async () => (arrived = await ArrivedAsync() - before) >= Datagrams, () => $"{arrived} of {Datagrams} have arrived");
        Assert.Equal(Datagrams, arrived);
        var statistics = socket.GetStatistics()[0];
        Assert.Equal((Datagrams, Datagrams * Size), (statistics.SentDatagrams, statistics.SentBytes));
        Assert.Equal(0, statistics.RefusedDatagrams);
    }

    private async Task MakeLinkAsync()
    {
        _hasNamespace = (await ExternalProgram.TryAsync("ip", "netns", "add", _namespace)).Succeeded;
        Assert.SkipUnless(_hasNamespace, "No network namespace may be made here.");
        var link = await ExternalProgram.TryAsync(
            "ip", "link", "add", _device, "type", "veth", "peer", "name", "there", "netns", _namespace);
        _hasDevice = link.Succeeded;
        Assert.SkipUnless(_hasDevice, $"No virtual link may be made here: {link.Errors}");
        await IpAsync("address", "add", $"{s_ours}/30", "dev", _device);
        await IpAsync("-n", _namespace, "address", "add", $"{s_theirs}/30", "dev", "there");
        var isSlow = await SetRateAsync("add", Slow);
        Assert.SkipUnless(isSlow.Succeeded, "This kernel has no tbf.");
        await IpAsync("-n", _namespace, "link", "set", "there", "address", HardwareAddress, "up");
        await IpAsync("link", "set", _device, "up");
        await Wait.UntilAsync(async () =>
            (await IpAsync("link", "show", "dev", _device)).Contains(" state UP ", StringComparison.Ordinal));

        // Until the peer has answered ARP, datagrams wait for it in a queue that loses the oldest (arp(7), unres_qlen_bytes).
        await IpAsync("neighbour", "replace", $"{s_theirs}", "lladdr", HardwareAddress, "dev", _device, "nud", "permanent");
    }

    private Task<ProgramResult> SetRateAsync(string command, string rate) => ExternalProgram.TryAsync(
        "tc", "qdisc", command, "dev", _device, "root", "tbf", "rate", rate, "burst", "10k", "limit", "10m");

    private static IPAddress Address(int host)
    {
        var inBlock = (s_number << 2) | host;
        return new([198, (byte)(18 + (inBlock >> 16)), (byte)(inBlock >> 8), (byte)inBlock]);
    }

    private static Task<string> IpAsync(params string[] arguments) => ExternalProgram.RunAsync("ip", arguments);

    // The port is closed there, which the kernel counts, too.
    private async Task<long> ArrivedAsync()
    {
        var lines = await ExternalProgram.RunAsync("ip", "netns", "exec", _namespace, "cat", "/proc/net/snmp");
        var udp = lines.Split('\n').Where(static line => line.StartsWith("Udp:", StringComparison.Ordinal)).ToArray();
        var column = Array.IndexOf(udp[0].Split(' '), "NoPorts");
        return long.Parse(udp[1].Split(' ')[column], CultureInfo.InvariantCulture);
    }
}
