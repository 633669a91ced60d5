using System.Text.Json;
using NumaSharp.Tool.Interop;

namespace NumaSharp.Tool.Tests.Run;

/// <summary>The main job: a web application, once per node, on one port.</summary>
public sealed class SharedPortTests
{
    [Fact]
    public async Task RunAsync_WebApplication_EveryNodeServesTheSamePort()
    {
        var nodes = NodeRun.TwoNodes();

        // Held to the end, and without a share of the connections, because it does not listen.
        using var port = new BoundPort(isShared: true);
        var address = new Uri($"http://{port.EndPoint}");
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
        using var client = TestHttpClient.Create();
        using var where = JsonDocument.Parse(await client.GetStringAsync(new Uri(address, "where")).Within());
        return where.RootElement.GetProperty("cpu").GetInt32();
    }
}
