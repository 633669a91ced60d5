using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.DependencyInjection;
using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Playground.Tests;

/// <summary>An unchanged application on another machine: one line each (docs/guide/plugins.md).</summary>
public sealed class SwappedPlatformTests
{
    [Fact]
    public async Task Web_OnASimulatedMachine_ServesOnItsNodes()
    {
        using var machine = new SimulatedMachine(SimulatedMachines.Nps4());
        await using var web = new WebApplicationFactory<Program>().WithWebHostBuilder(
            web => web.ConfigureServices(services => services.AddNuma(numa => numa.UsePlatform(machine.Platform))));
        Assert.Equal("pong", await web.CreateClient().GetStringAsync("/ping", TestContext.Current.CancellationToken));
        Assert.Equal(4, web.Services.GetRequiredService<NumaPlan>().Nodes.Count);
        Assert.Equal(
            [0, 1, 2, 3],
            machine.Calls.Where(static call => call.Operation == SimulatedOperation.Bind)
                .Select(static call => call.NodeId!.Value.Value)
                .Distinct().Order());
    }

    [Fact]
    public async Task Web_OnAMachineThatRefusesToBind_ServesAndSaysSo()
    {
        using var machine = new SimulatedMachine(SimulatedMachines.TwoSockets());
        machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM));
        await using var web = new WebApplicationFactory<Program>().WithWebHostBuilder(
            web => web.ConfigureServices(services => services.AddNuma(numa => numa.UsePlatform(machine.Platform))));
        Assert.Equal("pong", await web.CreateClient().GetStringAsync("/ping", TestContext.Current.CancellationToken));
        Assert.Equal(
            ["memory.bind", "memory.bind"],
            web.Services.GetRequiredService<NumaFallbacks>().Current.Select(static fallback => fallback.Feature));
    }

    [Fact]
    public async Task Web_WithSubstitutes_AsksThem()
    {
        var topology = Substitute.For<INumaTopologyProvider>();
        topology.Read().Returns(TestMachines.WithIds(0, 1).Read());
        var affinity = Substitute.For<INumaAffinityProvider>();
        await using var web = new WebApplicationFactory<Program>().WithWebHostBuilder(web => web.ConfigureServices(
            services => services.AddNuma(numa => numa.UsePlatform(new(topology, NumaPlatform.Default.Memory, affinity)))));
        Assert.Equal("pong", await web.CreateClient().GetStringAsync("/ping", TestContext.Current.CancellationToken));
        Assert.Equal(2, web.Services.GetRequiredService<NumaTopology>().NodeCount);
        affinity.Received().SetThreadCpus(CpuSet.FromIds(1));
    }

    [Fact]
    public async Task Web_OverARealSocket_HasALoopOnEverySimulatedNode()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the NUMA transport serves on Linux");
        using var machine = new SimulatedMachine(SimulatedMachines.TwoSockets());
        await using var web = new WebApplicationFactory<Program>().WithWebHostBuilder(web => web
            .UseSetting("Urls", "http://127.0.0.1:0")
            .UseSetting("H2cUrl", "")
            .UseSetting("Numa:Transport:LoopsPerNode", "1")
            .ConfigureServices(services => services.AddNuma(numa => numa.UsePlatform(machine.Platform))));
        web.UseKestrel(0);
        Assert.Equal("pong", await web.CreateClient().GetStringAsync("/ping", TestContext.Current.CancellationToken));
        var pinned = machine.Calls.Where(static call => call.Operation == SimulatedOperation.SetThreadCpus)
            .Select(static call => call.NodeId!.Value.Value);
        Assert.Equal([0, 1], pinned.Distinct().Order());
    }
}
