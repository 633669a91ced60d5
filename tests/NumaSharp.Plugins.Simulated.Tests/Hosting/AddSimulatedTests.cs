using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Plugins.Simulated.Tests.Hosting;

public sealed class AddSimulatedTests
{
    private static readonly (string, string)[] s_nps4 = [("Topology:Provider", "Simulated"), ("Simulated:Preset", "Nps4")];

    [Fact]
    public async Task Host_OnFourNodes_HasAPoolAndASchedulerOnEach()
    {
        // Else a node whose thread is still starting may be helped by another.
        using var host = SimulatedHost.Create(
            static numa => numa.AddSimulated(), [.. s_nps4, ("Scheduler:Policy", "NodeStrict")]);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var (plan, memory) = (host.Services.GetRequiredService<NumaPlan>(), MemoryOf(host));
        Assert.Equal(4, plan.Nodes.Count);
        Assert.All(plan.Nodes, node =>
        {
            using var block = host.Services.GetRequiredKeyedService<NumaMemoryPool>(node.NodeId).Rent();
            memory.QueryNode(AddressOf(block.Memory), out var actual).ThrowIfFailed("query");
            Assert.Equal(node.NodeId, actual);
        });
        foreach (var node in plan.Nodes)
        {
            var scheduler = host.Services.GetRequiredKeyedService<TaskScheduler>(node.NodeId);
            Assert.Equal(node.NodeId, await Task.Factory.StartNew(
                () => CurrentNodeOf(host), TestContext.Current.CancellationToken, TaskCreationOptions.None, scheduler));
        }

        Assert.Empty(host.Services.GetRequiredService<NumaFallbacks>().Current);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public unsafe void Allocator_OnFourNodes_TakesEachNodesMemory()
    {
        using var host = SimulatedHost.Create(static numa => numa.AddSimulated(), s_nps4);
        var allocator = host.Services.GetRequiredService<NumaAllocator>();
        for (var node = 0; node < 4; node++)
        {
            var block = allocator.Allocate(1000, new(node));
            MemoryOf(host).QueryNode((nint)block, out var actual).ThrowIfFailed("query");
            Assert.Equal(node, actual?.Value);
            allocator.Free(block);
        }
    }

    [Fact]
    public async Task Host_BindIsRefused_TouchesOnEachNodeAndSaysSoOncePerNode()
    {
        using var host = SimulatedHost.Create(
            static numa => numa.AddSimulated(static machine =>
                machine.Faults.Add(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM))),
            s_nps4);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var fallbacks = host.Services.GetRequiredService<NumaFallbacks>().Current;
        Assert.Equal(
            [("memory.bind", 0), ("memory.bind", 1), ("memory.bind", 2), ("memory.bind", 3)],
            fallbacks.Select(static fallback => (fallback.Feature, fallback.NodeId!.Value.Value)));
        using var block = host.Services.GetRequiredKeyedService<NumaMemoryPool>(3).Rent();
        MemoryOf(host).QueryNode(AddressOf(block.Memory), out var node).ThrowIfFailed("query");
        Assert.Equal(3, node?.Value);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Host_StrictAndBindIsRefusedForANode_DoesNotStart()
    {
        using var host = SimulatedHost.Create(
            static numa => numa.AddSimulated(),
            [
                .. s_nps4, ("Binding:Mode", "Strict"),
                ("Simulated:Faults:0:Operation", "Bind"), ("Simulated:Faults:0:Error", "EPERM"), ("Simulated:Faults:0:Node", "2"),
            ]);
        var failure = await Assert.ThrowsAnyAsync<OptionsValidationException>(
            () => host.StartAsync(TestContext.Current.CancellationToken));
        Assert.Contains("node 2", Assert.Single(failure.Failures), StringComparison.Ordinal);
        Assert.Contains("EPERM", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Host_PinningIsRefused_ServesAndSaysSo()
    {
        using var host = SimulatedHost.Create(
            static numa => numa.AddSimulated(static machine =>
                machine.Faults.Add(new SimulatedFault(SimulatedOperation.SetThreadCpus, SimulatedError.EPERM))),
            s_nps4);
        await host.StartAsync(TestContext.Current.CancellationToken);
        Assert.Equal(7, await host.Services.GetRequiredService<NumaTaskScheduler>().RunOnNode(2, static () => 7));
        Assert.Contains(
            host.Services.GetRequiredService<NumaFallbacks>().Current, static fallback => fallback.Feature == "affinity.pin");
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Host_NodeIsFull_TakesTheNearestUnlessStrict()
    {
        (string, string)[] settings =
        [
            ("Topology:Provider", "simulated"),
            ("Simulated:Nodes:0:Cpus", "0"), ("Simulated:Nodes:0:Memory", "1GiB"),
            ("Simulated:Nodes:1:Cpus", "1"), ("Simulated:Nodes:1:Memory", "4KiB"),
        ];
        using var host = SimulatedHost.Create(static numa => numa.AddSimulated(), settings);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var machine = host.Services.GetRequiredService<SimulatedMachine>();
        Assert.True(machine.Platform.Topology.ReadStatistics(new(1))!.Foreign > 0);
        await host.StopAsync(TestContext.Current.CancellationToken);

        using var strict = SimulatedHost.Create(static numa => numa.AddSimulated(), [.. settings, ("Binding:Mode", "Strict")]);
        var failure = await Record.ExceptionAsync(() => strict.StartAsync(TestContext.Current.CancellationToken));
        Assert.NotNull(failure);
        Assert.Contains("ENOMEM", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Settings_OfTheSection_AreKnownAndChecked()
    {
        using var wrong = SimulatedHost.Create(
            static numa => numa.AddSimulated(),
            ("Topology:Provider", "Simulated"), ("Simulated:Nodes:0:Cpus", "a"), ("Simulated:Nodes:0:Size", "1"));
        var failures = Assert.ThrowsAny<OptionsValidationException>(
            () => wrong.Services.GetRequiredService<IOptions<NumaSharp.Hosting.NumaOptions>>().Value).Failures;
        Assert.Equal(
            ["Numa:Simulated:Nodes:0:Cpus = 'a'", "Numa:Simulated:Nodes:0:Size = '1'"],
            failures.Select(static failure => failure[..(failure.IndexOf("': ", StringComparison.Ordinal) + 1)]));
    }

    [Fact]
    public void AddSimulated_Twice_IsOneMachineWithBothChanges()
    {
        using var host = SimulatedHost.Create(
            static numa => numa
                .AddSimulated(static machine => machine.IsolatedCpus = CpuSet.FromIds(1))
                .AddSimulated(static machine => machine.OfflineCpus = CpuSet.FromIds(2)),
            s_nps4);
        var topology = host.Services.GetRequiredService<NumaTopology>();
        Assert.Equal(("1", "0-1,3-15"), ($"{topology.IsolatedCpus}", $"{topology.AllowedCpus}"));
    }

    [Fact]
    public void AddSimulated_MachineAmongTheServices_IsUsed()
    {
        using var machine = new SimulatedMachine(SimulatedMachines.Cxl());
        using var host = SimulatedHost.Create(
            numa =>
            {
                numa.Services.AddSingleton(machine);
                numa.AddSimulated();
            },
            ("Topology:Provider", "Simulated"));
        Assert.Same(machine.Platform.Memory, host.Services.GetRequiredService<NumaPlatform>().Memory);
    }

    [Fact]
    public void AddSimulated_NotSelected_ChangesNothing()
    {
        using var host = SimulatedHost.Create(static numa => numa.AddSimulated(), ("Topology:Provider", "SingleNode"));
        Assert.Equal("SingleNode", host.Services.GetRequiredService<NumaTopology>().Source);
    }

    [Fact]
    public void UsePlatform_AMachine_WinsOverConfiguration()
    {
        using var machine = new SimulatedMachine(SimulatedMachines.Cxl());
        using var host = SimulatedHost.Create(
            numa => numa.UsePlatform(machine.Platform), ("Topology:Provider", "SingleNode"));
        Assert.Equal(3, host.Services.GetRequiredService<NumaTopology>().NodeCount);
        Assert.Same(machine.Platform, host.Services.GetRequiredService<NumaPlatform>());
    }

    [Fact]
    public async Task Read_Refused_EndsTheStart()
    {
        using var machine = new SimulatedMachine(SimulatedMachines.Cxl());
        machine.Inject(new SimulatedFault(SimulatedOperation.Read, SimulatedError.EIO));
        using var host = SimulatedHost.Create(numa => numa.UsePlatform(machine.Platform));
        var failure = await Assert.ThrowsAnyAsync<OptionsValidationException>(
            () => host.StartAsync(TestContext.Current.CancellationToken));
        Assert.Contains("EIO", failure.Message, StringComparison.Ordinal);
    }

    private static INumaMemoryProvider MemoryOf(IHost host) => host.Services.GetRequiredService<NumaPlatform>().Memory;

    private static NumaNodeId CurrentNodeOf(IHost host)
    {
        host.Services.GetRequiredService<NumaPlatform>().Affinity.GetCurrent(out _, out var node).ThrowIfFailed("current");
        return node;
    }

    private static unsafe nint AddressOf(Memory<byte> memory)
    {
        using var pin = memory.Pin();
        return (nint)pin.Pointer;
    }
}
