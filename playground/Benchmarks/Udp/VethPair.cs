using System.Diagnostics;
using System.Globalization;
using System.Net;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks.Udp;

/// <summary>
/// Two virtual network devices that are connected (veth(4)): one here, for the server, one in a network namespace, for its load.
/// They cut what is sent as one before it leaves, and join what comes (GRO), as hardware would.
/// </summary>
internal sealed class VethPair : IDisposable
{
    /// <summary>From the block for benchmarks (RFC 2544).</summary>
    public static readonly IPAddress ServerAddress = IPAddress.Parse("198.18.0.1");

    private const string LoadAddress = "198.18.0.2";

    // Packets from a device with TCP segmentation are not joined (veth_skb_is_eligible_for_gro).
    private static readonly string[] s_features = ["gro", "on", "tso", "off", "tx-udp-segmentation", "off"];

    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(10);

    private readonly string _namespace = string.Create(CultureInfo.InvariantCulture, $"numasharp-udp-{Environment.ProcessId}");
    private readonly string _device = string.Create(CultureInfo.InvariantCulture, $"nu{Environment.ProcessId}");
    private readonly string _ip;
    private readonly string _ethtool;

    private VethPair(string ip, string ethtool) => (_ip, _ethtool) = (ip, ethtool);

    /// <summary>Why there can be none here, or <see langword="null"/>.</summary>
    public static string? Lack => !Environment.IsPrivilegedProcess ? "they take root"
        : Executables.Find("ip") is null ? "ip is missing (Debian package iproute2)"
        : Executables.Find("ethtool") is null ? "ethtool is missing (Debian package ethtool)"
        : null;

    public static async Task<VethPair> CreateAsync(CancellationToken cancellation)
    {
        var pair = new VethPair(Executables.Find("ip")!, Executables.Find("ethtool")!);
        try
        {
            await pair.SetUpAsync(cancellation);
            return pair;
        }
        catch
        {
            pair.Dispose();
            throw;
        }
    }

    /// <summary>Has a program run in the namespace.</summary>
    public ProcessStartInfo Inside(ProcessStartInfo info)
    {
        var moved = new ProcessStartInfo(_ip, ["netns", "exec", _namespace, info.FileName, .. info.ArgumentList]);
        foreach (var (name, value) in info.Environment)
        {
            moved.Environment[name] = value;
        }

        return moved;
    }

    // The namespace takes its device with it, and that the other one.
    public void Dispose()
    {
        using var process = Process.Start(new ProcessStartInfo(_ip, ["netns", "delete", _namespace])
        {
            RedirectStandardError = true,
        });
        process!.WaitForExit();
    }

    private async Task SetUpAsync(CancellationToken cancellation)
    {
        var peer = _device + "p";
        await IpAsync("netns", "add", _namespace);
        await IpAsync("link", "add", _device, "type", "veth", "peer", "name", peer, "netns", _namespace);
        await IpAsync("address", "add", $"{ServerAddress}/30", "dev", _device);
        await IpAsync("-n", _namespace, "address", "add", $"{LoadAddress}/30", "dev", peer);
        await RunAsync(_ethtool, ["-K", _device, .. s_features]);
        await IpAsync(["netns", "exec", _namespace, _ethtool, "-K", peer, .. s_features]);
        await IpAsync("link", "set", _device, "up");
        await IpAsync("-n", _namespace, "link", "set", peer, "up");

        Task IpAsync(params string[] arguments) => RunAsync(_ip, arguments);
        Task RunAsync(string program, params string[] arguments) =>
            LoadProcess.RunAsync(program, arguments, cpu: null, s_limit, cancellation);
    }
}
