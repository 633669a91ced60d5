using System.IO.Pipelines;
using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Tests.Registration;

public sealed class AddNumaTests
{
    [Fact]
    public void AddNuma_Twice_RegistersOnce()
    {
        var once = NumaHost.CreateBuilder();
        once.AddNuma();
        var twice = NumaHost.CreateBuilder();
        twice.AddNuma();
        twice.Services.AddNuma();
        twice.AddNuma();
        Assert.Equal(
            once.Services.Select(static service => service.ServiceType),
            twice.Services.Select(static service => service.ServiceType));
        using var host = twice.Build();
        var checks = host.Services.GetRequiredService<IOptions<HealthCheckServiceOptions>>().Value.Registrations;
        Assert.Equal(
            ["numa_topology", "numa_memory", "numa_transport", "numa_udp"], checks.Select(static check => check.Name));
    }

    [Fact]
    public void AddNuma_TwiceWithCode_RunsBoth()
    {
        var builder = NumaHost.CreateBuilder();
        builder.AddNuma(static numa => numa.Configure(static options => options.Transport.Backlog = 7));
        builder.AddNuma(static numa => numa.Configure(static options => options.Transport.NoDelay = false));
        using var host = builder.Build();
        var options = host.Services.GetRequiredService<IOptions<NumaOptions>>().Value;
        Assert.Equal((7, false), (options.Transport.Backlog, options.Transport.NoDelay));
    }

    // The monitor's options, which the host validates before it starts, and those that everything is made by are the same.
    [Fact]
    public async Task Start_OptionsAreMadeAndCheckedOnce()
    {
        var made = 0;
        var builder = NumaHost.CreateBuilder(("Topology:Provider", SimulatedMachine.ProviderName));
        builder.AddNuma(numa => numa.AddMachine(NumaHost.TwoNodes()).Configure(_ => made++));
        using var host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        Assert.Same(
            host.Services.GetRequiredService<IOptionsMonitor<NumaOptions>>().CurrentValue,
            host.Services.GetRequiredService<IOptions<NumaOptions>>().Value);
        Assert.Equal(1, made);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public void Services_OnlyAServiceCollection_ReadTheConfigurationAmongThem()
    {
        var configuration = new ConfigurationBuilder()
            .AddInMemoryCollection([KeyValuePair.Create<string, string?>("Numa:Enabled", "false")])
            .Build();
        using var services = new ServiceCollection()
            .AddSingleton<IConfiguration>(configuration)
            .AddNuma().Services.BuildServiceProvider(validateScopes: true);
        Assert.False(services.GetRequiredService<NumaPlan>().IsEnabled);
    }

    [Fact]
    public void Services_NoConfigurationAtAll_HaveTheDefaults()
    {
        using var services = new ServiceCollection().AddNuma().Services.BuildServiceProvider(validateScopes: true);
        Assert.True(services.GetRequiredService<NumaPlan>().IsEnabled);
    }

    [Fact]
    public void Services_ByType_AreTheSelectedMachine()
    {
        using var host = NumaHost.Create(("Scheduler:ThreadsPerNode", "1"), ("Memory:BlockSize", "8KiB"));
        var services = host.Services;
        Assert.Equal("Simulated", services.GetRequiredService<NumaTopology>().Source);
        Assert.Equal("Simulated", services.GetRequiredService<NumaPlatform>().Memory.Name);
        Assert.Same(services.GetRequiredService<NumaTopology>(), services.GetRequiredService<NumaPlan>().Topology);
        Assert.Same(services.GetRequiredService<NumaPlan>(), services.GetRequiredService<NumaTaskScheduler>().Plan);
        Assert.Equal(2, services.GetRequiredService<NumaTaskScheduler>().MaximumConcurrencyLevel);
        Assert.Equal(8192, services.GetRequiredService<NumaMemoryPools>()[1].BlockSize);
    }

    [Fact]
    public unsafe void Services_Allocator_TakesTheLimit()
    {
        using var host = NumaHost.Create(("Memory:LimitPerNode", "4MiB"));
        var allocator = host.Services.GetRequiredService<NumaAllocator>();
        var block = allocator.Allocate(1024, nodeId: new(1));
        Assert.Equal(1, allocator.GetNodeId(block).Value);
        allocator.Free(block);
        Assert.Throws<OutOfMemoryException>(() => (nint)allocator.Allocate(8 << 20, nodeId: new(1)));
    }

    [Theory]
    [InlineData("None", 128, false)]
    [InlineData("Full", 100, true)]
    [InlineData("Hardened", 112, true)]
    public unsafe void Services_AllocatorWithChecks_FindsADoubleFree(string checks, int usable, bool isFound)
    {
        using var host = NumaHost.Create(("Memory:Checks", checks), ("Memory:ZeroOnReturn", "true"));
        var allocator = host.Services.GetRequiredService<NumaAllocator>();
        var block = (byte*)allocator.Allocate(100);
        Assert.InRange((int)allocator.GetUsableSize(block), 100, usable);
        block[50] = 1;
        allocator.Free(block);

        if (isFound)
        {
            Assert.NotEqual(1, block[50]);
            Assert.Throws<InvalidOperationException>(() => allocator.Free(block));
        }
        else
        {
            Assert.Equal(1, block[50]);
        }
    }

    [Theory]
    [InlineData("None", false)]
    [InlineData("Full", true)]
    [InlineData("Hardened", true)]
    public void Services_PoolsWithChecks_GiveOwnersOfOneRent(string checks, bool isOfOneRent)
    {
        using var host = NumaHost.Create(("Memory:Checks", checks));
        foreach (var pool in new[]
        {
            host.Services.GetRequiredService<NumaMemoryPools>()[0],
            host.Services.GetRequiredService<IMemoryPoolFactory<byte>>().Create(),
        })
        {
            var first = pool.Rent();
            first.Dispose();
            using var second = pool.Rent();
            Assert.Equal(isOfOneRent, !ReferenceEquals(first, second));
        }
    }

    [Fact]
    public void Services_ByNodeId_AreTheNodes()
    {
        using var host = NumaHost.Create();
        var services = host.Services;
        for (var id = 0; id < 2; id++)
        {
            Assert.Equal(id, services.GetRequiredKeyedService<NumaNode>(id).NodeId);
            Assert.Same(
                services.GetRequiredService<NumaMemoryPools>().ForNode(new(id)),
                services.GetRequiredKeyedService<NumaMemoryPool>(id));
            Assert.Same(
                services.GetRequiredService<NumaTaskScheduler>().ForNode(new(id)),
                services.GetRequiredKeyedService<TaskScheduler>(id));
            Assert.Same(
                services.GetRequiredService<NumaTaskScheduler>().GetPipeScheduler(id),
                services.GetRequiredKeyedService<PipeScheduler>(id));
            Assert.Same(
                services.GetRequiredService<NumaAllocator>().ForNode(new(id)),
                services.GetRequiredKeyedService<NumaNodeAllocator>(id));
            Assert.Same(
                services.GetRequiredKeyedService<NumaMemoryPool>(id),
                services.GetRequiredKeyedService<NumaMemoryPool>(new NumaNodeId(id)));
        }

        Assert.Empty(services.GetRequiredService<NumaFallbacks>().Current);
    }

    [Fact]
    public void Services_ByNodeIdFromAttribute_AreInjected()
    {
        using var host = NumaHost.Create();
        var consumer = ActivatorUtilities.CreateInstance<Consumer>(host.Services);
        Assert.Equal((1, 0), (consumer.Pool.NodeId.Value, consumer.Allocator.NodeId.Value));
    }

    [Fact]
    public void Services_ByIdThatTheMachineLacks_AreTheNearestAndThisIsReportedOnce()
    {
        using var host = NumaHost.Create();
        Assert.Equal(1, host.Services.GetRequiredKeyedService<NumaMemoryPool>(7).NodeId.Value);
        Assert.NotNull(host.Services.GetRequiredKeyedService<TaskScheduler>(7));
        Assert.Same(
            host.Services.GetRequiredKeyedService<PipeScheduler>(1), host.Services.GetRequiredKeyedService<PipeScheduler>(7));
        Assert.Null(host.Services.GetKeyedService<NumaNode>(7));
        Assert.Equal(
            ["memory.node", "scheduler.node"],
            host.Services.GetRequiredService<NumaFallbacks>().Current.Select(static fallback => fallback.Feature));
    }

    [Fact]
    public void Services_AllocatorByIdThatTheMachineLacks_IsTheNearestAndThisIsReported()
    {
        using var host = NumaHost.Create();
        Assert.Equal(1, host.Services.GetRequiredKeyedService<NumaNodeAllocator>(7).NodeId.Value);
        var fallback = Assert.Single(host.Services.GetRequiredService<NumaFallbacks>().Current);
        Assert.Equal(("memory.node", 7), (fallback.Feature, fallback.NodeId?.Value));
        Assert.Equal(
            "Node 7 is not in the plan: the allocator of node 1 is used. The plan has the nodes 0,1.",
            fallback.Message);
    }

    [Theory]
    [InlineData("true", true)]
    [InlineData("false", false)]
    public async Task Scheduler_UseSynchronizationContext_DecidesWhereAnAwaitInAnItemContinues(string setting, bool comesBack)
    {
        using var host = NumaHost.Create(("Scheduler:UseSynchronizationContext", setting), ("Scheduler:Policy", "NodeStrict"));
        var scheduler = host.Services.GetRequiredService<NumaTaskScheduler>();

        await scheduler.SwitchTo(1);

        // Never without leaving: a delay may be over before it is awaited.
        await Task.Yield();

        Assert.Equal(comesBack ? 1 : -1, NumaTaskScheduler.CurrentNodeIndex);
    }

    [Fact]
    public void Services_ByKeyThatIsNoNodeId_AreNotOurs()
    {
        using var host = NumaHost.Create();
        Assert.Null(host.Services.GetKeyedService<TaskScheduler>("mine"));
        Assert.Null(host.Services.GetKeyedService<PipeScheduler>("mine"));
        Assert.Null(host.Services.GetKeyedService<TimeProvider>("mine"));
        Assert.Null(host.Services.GetKeyedService<NumaMemoryPool>("mine"));
        Assert.Null(host.Services.GetKeyedService<NumaNodeAllocator>("mine"));
        Assert.Null(host.Services.GetKeyedService<NumaNode>("0"));
    }

    [Fact]
    public void Services_RegisteredByTheApplication_Stay()
    {
        var mine = new NumaFallbacks();
        var builder = NumaHost.CreateBuilder();
        builder.Services.AddSingleton(mine);
        builder.AddNuma();
        using var host = builder.Build();
        Assert.Same(mine, host.Services.GetRequiredService<NumaFallbacks>());
    }

    [Fact]
    public async Task Host_Disabled_ServesOnOneNodeWithNothingPinnedOrBound()
    {
        using var machine = NumaHost.TwoNodes();
        using var host = NumaHost.Create(machine, ("Enabled", "false"));
        await host.StartAsync(TestContext.Current.CancellationToken);

        Assert.Single(host.Services.GetRequiredService<NumaPlan>().Nodes);
        using (host.Services.GetRequiredKeyedService<NumaMemoryPool>(1).Rent())
        {
            var scheduler = host.Services.GetRequiredKeyedService<TaskScheduler>(0);
            Assert.Equal(7, await Task.Factory.StartNew(
                static () => 7, TestContext.Current.CancellationToken, TaskCreationOptions.None, scheduler));
        }

        Assert.Equal(0, machine.GetCallCount(SimulatedOperation.Bind));
        Assert.Equal(0, machine.GetCallCount(SimulatedOperation.SetThreadCpus));
        var transport = host.Services.GetServices<IConnectionListenerFactory>().OfType<IConnectionListenerFactorySelector>();
        Assert.False(transport.Last().CanBind(new IPEndPoint(IPAddress.Loopback, 0)));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Host_Enabled_PinsAndBindsEveryNodeBeforeTheApplicationStarts()
    {
        using var machine = NumaHost.TwoNodes();
        var builder = NumaHost.CreateBuilder(("Topology:Provider", SimulatedMachine.ProviderName));
        var seen = new List<long>();
        builder.Services.AddHostedService(_ => new Observer(() => seen.Add(machine.GetCallCount(SimulatedOperation.Bind))));
        builder.AddNuma(numa => numa.AddMachine(machine));
        using var host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);

        Assert.Equal(2, Assert.Single(seen));
        Assert.Equal([0, 1], machine.CallsOf(SimulatedOperation.Bind).Select(static bind => bind.NodeId!.Value.Value));
        Assert.Contains(CpuSet.ParseList("2-3"), machine.Pins());
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Host_WithoutNuma_StartsOnOneNode()
    {
        using var host = CreateSingleNode();
        await host.StartAsync(TestContext.Current.CancellationToken);
        Assert.Equal(1, host.Services.GetRequiredService<NumaTopology>().NodeCount);
        Assert.Equal(7, await host.Services.GetRequiredService<NumaTaskScheduler>().RunOnNode(0, static () => 7));

        // At most the one message that this system has no provider.
        Assert.Equal(OperatingSystem.IsLinux() ? 0 : 1, host.Services.GetRequiredService<NumaFallbacks>().Current.Count);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Host_SeveralInOneProcess_DoNotMeet()
    {
        using var first = NumaHost.Create();
        using var second = CreateSingleNode();
        await first.StartAsync(TestContext.Current.CancellationToken);
        await second.StartAsync(TestContext.Current.CancellationToken);
        Assert.Equal(2, first.Services.GetRequiredService<NumaTopology>().NodeCount);
        Assert.Equal(1, second.Services.GetRequiredService<NumaTopology>().NodeCount);
        Assert.Empty(first.Services.GetRequiredService<NumaFallbacks>().Current);
        await first.StopAsync(TestContext.Current.CancellationToken);
        await second.StopAsync(TestContext.Current.CancellationToken);
    }

    private static IHost CreateSingleNode()
    {
        var builder = NumaHost.CreateBuilder(("Topology:Provider", "SingleNode"));
        builder.AddNuma();
        return builder.Build();
    }

    private sealed class Consumer(
        [FromKeyedServices(1)] NumaMemoryPool pool, [FromKeyedServices(0)] NumaNodeAllocator allocator)
    {
        public NumaMemoryPool Pool { get; } = pool;

        public NumaNodeAllocator Allocator { get; } = allocator;
    }

    private sealed class Observer(Action started) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken)
        {
            started();
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
