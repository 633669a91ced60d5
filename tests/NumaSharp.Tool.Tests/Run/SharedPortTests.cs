using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using NumaSharp.Interop;

namespace NumaSharp.Tool.Tests.Run;

/// <summary>The main job: a web application, once per node, on one port.</summary>
public sealed class SharedPortTests
{
    [Fact]
    public async Task RunAsync_WebApplication_EveryNodeServesTheSamePort()
    {
        var nodes = NodeRun.TwoNodes();
        var address = new Uri($"http://127.0.0.1:{FreePort()}");
        using var run = new NodeRun(
            [DotnetHost.Path, Path.Combine(AppContext.BaseDirectory, "NumaSharp.Playground.Web.dll"), "--urls", $"{address}"]);
        var code = run.RunAsync(nodes);
        await Task.WhenAll(Array.ConvertAll(nodes, node =>
            run.Output.WaitForAsync($"[node{node.NodeId}]       Now listening on: {address.ToString().TrimEnd('/')}")));

        // The kernel chooses by a hash of the addresses: that 64 connections meet one side alone is a chance of 1 in 2^63.
        var cpus = new HashSet<int>();
        for (var i = 0; i < 64; i++)
        {
            cpus.Add(await CpuOfNewConnectionAsync(address));
        }

        run.Supervisor.Stop(Native.SIGTERM);
        Assert.Equal(0, await code);
        Assert.Equal(nodes.Select(static node => node.Cpus.First).Order(), cpus.Order());
    }

    private static async Task<int> CpuOfNewConnectionAsync(Uri address)
    {
        using var client = new HttpClient();
        using var where = JsonDocument.Parse(await client.GetStringAsync(new Uri(address, "where")).WaitAsync(NodeRun.Patience));
        return where.RootElement.GetProperty("cpu").GetInt32();
    }

    private static string FreePort()
    {
        using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        probe.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)probe.LocalEndPoint!).Port.ToString(CultureInfo.InvariantCulture);
    }
}
