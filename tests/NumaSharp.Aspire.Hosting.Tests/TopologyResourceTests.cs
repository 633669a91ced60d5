using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Aspire.Hosting.Tests;

/// <summary>The machine on the dashboard.</summary>
public sealed class TopologyResourceTests
{
    [Fact]
    public void AddNumaTopology_State_ShowsNodes()
    {
        using var builder = TestModel.Create();
        var numa = builder.AddNumaTopology(provider: TestModel.TwoSockets);

        var state = Assert.Single(numa.Resource.Annotations.OfType<ResourceSnapshotAnnotation>()).InitialSnapshot;
        Assert.Equal("NumaTopology", state.ResourceType);
        Assert.Equal(KnownResourceStates.Running, state.State?.Text);
        Assert.All(state.Properties, static property => Assert.True(property.IsHighlighted));
        Assert.Equal("2", ValueOf(state, "Nodes"));
        Assert.StartsWith("Simulated: 2 nodes, CPUs 0-", ValueOf(state, "resource.source"), StringComparison.Ordinal);
        Assert.Equal("Source", state.Properties[0].DisplayName);
        var (first, second) = (numa.Resource.Topology.Nodes[0], numa.Resource.Topology.Nodes[1]);
        Assert.StartsWith(
            $"CPUs {first.Cpus}, {first.MemoryBytes >> 30} GiB, distances 10 ",
            ValueOf(state, "Node 0"),
            StringComparison.Ordinal);
        Assert.EndsWith(" 10", ValueOf(state, $"Node {second.NodeId}"), StringComparison.Ordinal);
    }

    [Fact]
    public void AddNumaTopology_ThisMachine_IsTheDefault()
    {
        using var builder = TestModel.Create();

        Assert.Equal(
            NumaTopology.Instance.Nodes.Select(static node => node.NodeId),
            builder.AddNumaTopology("machine").Resource.Topology.Nodes.Select(static node => node.NodeId));
    }

    [Fact]
    public async Task ShowPlan_FencedResources_AreInTheLog()
    {
        using var builder = TestModel.Create();
        var numa = builder.AddNumaTopology(provider: TestModel.TwoSockets);
        _ = builder.AddExecutable("program", "program", ".").WithNuma("1");
        await using var application = await builder.BuildAsync(TestContext.Current.CancellationToken);

        var result = await RunAsync(application, numa.Resource, "show-plan");

        Assert.True(result.Success, result.Message);
        Assert.Equal(NumaPlanText.ToMarkdown(numa.Resource.Topology, builder.Resources), result.Data?.Value);
        var log = await ReadLogAsync(application, numa.Resource);
        Assert.Contains("program: ", log, StringComparison.Ordinal);
        Assert.Contains($"{numa.Resource.Topology.FindNode(new(1))!.Cpus}", log, StringComparison.Ordinal);
    }

    [Fact]
    public void Plan_AsMarkdown_IsAListPerResource()
    {
        using var builder = TestModel.Create();
        var topology = builder.AddNumaTopology(provider: TestModel.TwoSockets).Resource.Topology;
        Assert.Equal("No resource is fenced.", NumaPlanText.ToMarkdown(topology, builder.Resources));
        _ = builder.AddExecutable("good", "program", ".").WithNuma("1");
        _ = builder.AddExecutable("bad", "program", ".").WithNuma("7");

        var lines = NumaPlanText.ToMarkdown(topology, builder.Resources).Split('\n');

        Assert.Equal("**good**", lines[0]);
        Assert.StartsWith($"- node 1 [cpus {topology.FindNode(new(1))!.Cpus}: ", lines[1], StringComparison.Ordinal);
        Assert.Equal("**bad**", lines[4]);
        Assert.StartsWith("- Nodes = '7': 7 cannot be used", lines[5], StringComparison.Ordinal);
    }

    [Fact]
    public async Task ReadAgain_NodeHasGone_ShowsThatAndIsUnhealthy()
    {
        using var builder = TestModel.Create();
        using var machine = new SimulatedMachine(SimulatedMachines.TwoSockets());
        var numa = builder.AddNumaTopology(provider: machine.Platform.Topology);
        _ = builder.AddExecutable("program", "program", ".").WithNuma("1");
        await using var application = await builder.BuildAsync(TestContext.Current.CancellationToken);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(application)).Status);

        TakeNode1(machine);
        var result = await RunAsync(application, numa.Resource, "read-again");
        Assert.True(result.Success, result.Message);

        var report = await CheckAsync(application);
        Assert.Equal(HealthStatus.Unhealthy, report.Status);
        Assert.Contains("program: Nodes = '1'", report.Description, StringComparison.Ordinal);
        Assert.Equal("1", ValueOf(StateOf(application, numa.Resource), "Nodes"));
    }

    [Fact]
    public async Task Health_NodeOfAReplicaHasGone_IsDegradedAndShowsTheMachineAsItIs()
    {
        using var builder = TestModel.Create();
        using var machine = new SimulatedMachine(SimulatedMachines.TwoSockets());
        var numa = builder.AddNumaTopology(provider: machine.Platform.Topology);
        _ = builder.AddProject<Projects.Web>("web").WithNumaReplicaPerNode();
        await using var application = await builder.BuildAsync(TestContext.Current.CancellationToken);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(application)).Status);

        TakeNode1(machine);

        var report = await CheckAsync(application);
        Assert.Equal(HealthStatus.Degraded, report.Status);
        Assert.Equal("web: 2 replicas, but nodes for only 1: the others use all nodes.", report.Description);
        var source = ValueOf(StateOf(application, numa.Resource), "resource.source");
        Assert.StartsWith("Simulated: 1 node, CPUs 0-", source, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_FencedResources_ReferToTheMachine()
    {
        using var builder = TestModel.Create();
        var numa = builder.AddNumaTopology(provider: TestModel.TwoSockets);
        var fenced = builder.AddExecutable("fenced", "program", ".").WithNuma("1");
        var free = builder.AddExecutable("free", "program", ".");

        await TestModel.BeginAsync(builder);

        Assert.Same(numa.Resource, Assert.Single(fenced.Resource.Annotations.OfType<ResourceRelationshipAnnotation>()).Resource);
        Assert.Empty(free.Resource.Annotations.OfType<ResourceRelationshipAnnotation>());
    }

    [Fact]
    public async Task Pages_OfTheApplications_AreUrlsOfTheMachine()
    {
        using var builder = TestModel.Create();
        var numa = builder.AddNumaTopology(provider: TestModel.TwoSockets);
        var web = builder.AddContainer("web", "web")
            .WithHttpEndpoint(targetPort: 8080)
            .WithEndpoint("http", static endpoint =>
                endpoint.AllocatedEndpoint = new AllocatedEndpoint(endpoint, "localhost", 5080))
            .WithNumaEndpoints();
        await using var application = await builder.BuildAsync(TestContext.Current.CancellationToken);

        await builder.Eventing.PublishAsync(
            new ResourceEndpointsAllocatedEvent(web.Resource, application.Services), TestContext.Current.CancellationToken);

        var url = Assert.Single(StateOf(application, numa.Resource).Urls);
        Assert.Equal("http://localhost:5080/numa", url.Url);
        Assert.Equal("web NUMA", url.DisplayProperties.DisplayName);
        Assert.False(url.IsInactive);

        var snapshot = new CustomResourceSnapshot { ResourceType = "Container", Properties = [] };
        await builder.Eventing.PublishAsync(
            new ResourceStoppedEvent(web.Resource, application.Services, new ResourceEvent(web.Resource, "web-1", snapshot)),
            TestContext.Current.CancellationToken);
        Assert.True(Assert.Single(StateOf(application, numa.Resource).Urls).IsInactive);

        await builder.Eventing.PublishAsync(
            new BeforeResourceStartedEvent(web.Resource, application.Services), TestContext.Current.CancellationToken);
        Assert.False(Assert.Single(StateOf(application, numa.Resource).Urls).IsInactive);
    }

    private static void TakeNode1(SimulatedMachine machine)
    {
        machine.Change(static options => options.AllowedNodes = CpuSet.FromIds(0));
        machine.Change(options => options.AllowedCpus = machine.Platform.Topology.Read().Nodes[0].Cpus);
    }

    private static CustomResourceSnapshot StateOf(DistributedApplication application, NumaTopologyResource resource)
    {
        var notifications = application.Services.GetRequiredService<ResourceNotificationService>();
        Assert.True(notifications.TryGetCurrentState(resource.Name, out var current));
        return current.Snapshot;
    }

    private static string ValueOf(CustomResourceSnapshot state, string name) =>
        Assert.IsType<string>(state.Properties.Single(property => property.Name == name).Value);

    private static Task<ExecuteCommandResult> RunAsync(
        DistributedApplication application, NumaTopologyResource resource, string command) =>
        application.Services.GetRequiredService<ResourceCommandService>()
            .ExecuteCommandAsync(resource, command, TestContext.Current.CancellationToken);

    private static async Task<HealthReportEntry> CheckAsync(DistributedApplication application) =>
        (await application.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(
            static check => check.Name == "numa_fit", TestContext.Current.CancellationToken)).Entries["numa_fit"];

    private static async Task<string> ReadLogAsync(DistributedApplication application, NumaTopologyResource resource)
    {
        var logs = application.Services.GetRequiredService<ResourceLoggerService>();
        logs.Complete(resource);
        List<string> lines = [];
        await foreach (var batch in logs.WatchAsync(resource).WithCancellation(TestContext.Current.CancellationToken))
        {
            lines.AddRange(batch.Select(static line => line.Content));
        }

        return string.Join('\n', lines);
    }
}
