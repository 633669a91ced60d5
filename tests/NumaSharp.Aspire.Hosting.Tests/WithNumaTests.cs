using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting.Tests;

/// <summary>What <c>WithNuma</c> adds to each kind of resource.</summary>
public sealed class WithNumaTests
{
    [Fact]
    public async Task WithNuma_Executable_GetsVariables()
    {
        using var builder = TestModel.Create();
        var program = builder.AddExecutable("program", "program", ".")
            .WithNuma("1")
            .WithNuma(static numa => numa.Dispatch = NumaDispatchMode.Node);

        Assert.Equal(
            new Dictionary<string, string> { ["Numa__Binding__Nodes"] = "1", ["Numa__Transport__Dispatch"] = "Node" },
            await TestModel.VariablesOfAsync(program));
        Assert.Equal("1", Assert.Single(program.Resource.Annotations.OfType<NumaAnnotation>()).Options.Nodes);
    }

    [Fact]
    public async Task WithNuma_Container_GetsVariablesAndTheEnginesFence()
    {
        using var builder = TestModel.Create();
        var machine = builder.AddNumaTopology(provider: TestModel.TwoSockets).Resource.Topology;
        var container = builder.AddContainer("cache", "cache").WithNuma(static numa =>
        {
            numa.Nodes = "1";
            numa.AllowMemoryBinding = true;
            numa.OpenFiles = 1000;
        });

        Assert.Equal("1", (await TestModel.VariablesOfAsync(container))["Numa__Binding__Nodes"]);
        Assert.Equal(
            [
                $"--cpuset-cpus={machine.FindNode(new(1))!.Cpus}", "--cpuset-mems=1", "--cap-add=SYS_NICE",
                "--ulimit=nofile=1000:1000",
            ],
            await TestModel.ArgumentsOfAsync(container));
    }

    [Fact]
    public async Task WithNuma_SettingsChangedLater_Count()
    {
        using var builder = TestModel.Create();
        _ = builder.AddNumaTopology(provider: TestModel.TwoSockets);
        var container = builder.AddContainer("cache", "cache").WithNuma("0");
        _ = container.WithNuma("1");

        Assert.Contains("--cpuset-mems=1", await TestModel.ArgumentsOfAsync(container));
    }

    [Fact]
    public async Task Start_NodesThatAreNotThere_NamesResourcesNodesAndWhatIsAllowed()
    {
        using var builder = TestModel.Create();
        _ = builder.AddNumaTopology(provider: TestModel.TwoSockets);
        _ = builder.AddExecutable("good", "program", ".").WithNuma("0-1");
        _ = builder.AddExecutable("bad", "program", ".").WithNuma("1,7");
        _ = builder.AddContainer("worse", "cache").WithNuma(static numa => numa.Cpus = "4000");

        var exception = await Assert.ThrowsAsync<DistributedApplicationException>(() => TestModel.BeginAsync(builder));

        Assert.Contains(
            "bad: Nodes = '1,7': 7 cannot be used; allowed are the nodes", exception.Message, StringComparison.Ordinal);
        Assert.Contains("worse: Cpus = '4000': ", exception.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("good", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_NodeOfThisMachineThatIsNotThere_IsAnError()
    {
        using var builder = TestModel.Create();
        var missing = NumaTopology.Instance.Nodes.Max(static node => node.NodeId) + 1;
        _ = builder.AddExecutable("bad", "program", ".").WithNuma($"{missing}");

        var exception = await Assert.ThrowsAsync<DistributedApplicationException>(() => TestModel.BeginAsync(builder));

        Assert.Contains($"bad: Nodes = '{missing}': ", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_EverythingIsThere_Continues()
    {
        using var builder = TestModel.Create();
        _ = builder.AddNumaTopology(provider: TestModel.TwoSockets);
        _ = builder.AddExecutable("good", "program", ".").WithNuma("0-1");

        await TestModel.BeginAsync(builder);
    }

    [Fact]
    public void WithNuma_WrongArguments_AreRefusedAtOnce()
    {
        using var builder = TestModel.Create();
        var program = builder.AddExecutable("program", "program", ".");

        Assert.Throws<ArgumentException>(() => program.WithNuma("one"));
        Assert.Throws<ArgumentException>(() => program.WithNuma(""));
        Assert.Throws<ArgumentNullException>(() => program.WithNuma((Action<NumaResourceOptions>)null!));
        Assert.Empty(program.Resource.Annotations.OfType<NumaAnnotation>());
    }

    [Fact]
    public async Task WithNumaReplicaPerNode_TwoNodes_TwoReplicasThatClaim()
    {
        using var builder = TestModel.Create();
        _ = builder.AddNumaTopology(provider: TestModel.TwoSockets);
        var web = builder.AddProject<Projects.Web>("web").WithNumaReplicaPerNode();

        Assert.Equal(2, web.Resource.GetReplicaCount());
        var claims = (await TestModel.VariablesOfAsync(web))["Numa__Binding__Claims"];
        Assert.True(Path.IsPathFullyQualified(claims), claims);
        Assert.EndsWith(Path.Combine("obj", "numa", "web"), claims, StringComparison.Ordinal);
    }

    [Fact]
    public void WithNumaReplicaPerNode_Fenced_AsManyAsTheFenceHas()
    {
        using var builder = TestModel.Create();
        _ = builder.AddNumaTopology(provider: TestModel.TwoSockets);

        var web = builder.AddProject<Projects.Web>("web").WithNuma("1").WithNumaReplicaPerNode();
        Assert.Equal(1, web.Resource.GetReplicaCount());
        Assert.Contains(
            "other: Nodes = '5'",
            Assert.Throws<DistributedApplicationException>(() =>
                builder.AddProject<Projects.Web>("other").WithNuma("5").WithNumaReplicaPerNode()).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void WithNumaEndpoints_Web_HasPageAndHealthCheck()
    {
        using var builder = TestModel.Create();
        var web = builder.AddContainer("web", "web").WithHttpEndpoint(targetPort: 8080).WithNumaEndpoints();

        var check = Assert.Single(web.Resource.Annotations.OfType<HealthCheckAnnotation>());
        Assert.Contains("/health", check.Key, StringComparison.Ordinal);
        Assert.Throws<DistributedApplicationException>(() => builder.AddContainer("none", "none").WithNumaEndpoints());
    }
}
