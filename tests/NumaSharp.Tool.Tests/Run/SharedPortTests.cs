using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using NumaSharp.Tool.Interop;

namespace NumaSharp.Tool.Tests.Run;

/// <summary>The main job: a web application, once per node, on one port.</summary>
public sealed class SharedPortTests
{
    private const int SolSocket = 1;
    private const int SoReusePort = 15;

    [Fact]
    public async Task RunAsync_WebApplication_EveryNodeServesTheSamePort()
    {
        var nodes = NodeRun.TwoNodes();
        using var port = SharedPort();
        var address = new Uri($"http://{port.LocalEndPoint}");
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

        run.Supervisor.Stop(ProcessCalls.SIGTERM);
        Assert.Equal(0, await code);
        Assert.Equal(nodes.Select(static node => node.Cpus.First).Order(), cpus.Order());
    }

    private static async Task<int> CpuOfNewConnectionAsync(Uri address)
    {
        using var client = new HttpClient();
        using var where = JsonDocument.Parse(await client.GetStringAsync(new Uri(address, "where")).Within());
        return where.RootElement.GetProperty("cpu").GetInt32();
    }

    // Held to the end, and without a share of the connections, because it does not listen.
    private static Socket SharedPort()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.SetRawSocketOption(SolSocket, SoReusePort, BitConverter.GetBytes(1));
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }
}
