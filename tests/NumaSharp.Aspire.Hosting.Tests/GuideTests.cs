using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting.Tests;

/// <summary>What docs/guide/aspire.md shows is compiled, and makes the model that it says.</summary>
public sealed class GuideTests
{
    [Fact]
    public void Samples_AllOfThem_AreLinesOfThisFile() =>
        GuideSamples.AssertCompiled("aspire.md", 3, 8, "tests", "NumaSharp.Aspire.Hosting.Tests");

    [Fact]
    public async Task FirstSample_OnTwoNodes_FencesEach()
    {
        using var builder = TestModel.Create();
        AddFirst(builder, TestModel.TwoSockets);

        await TestModel.BeginAsync(builder);

        Assert.Equal(
            ["1", "1"],
            NumaMachine.FencedIn(builder.Resources).Where(static fenced => fenced.Resource.Name != "api")
                .Select(static fenced => fenced.Options.Nodes));
    }

    [Fact]
    public void ReplicaSample_OnTwoNodes_HasTwo()
    {
        using var builder = TestModel.Create();
        _ = builder.AddNumaTopology(provider: TestModel.TwoSockets);

        Assert.Equal(2, AddReplicas(builder).Resource.GetReplicaCount());
    }

    private static void AddFirst(IDistributedApplicationBuilder builder, INumaTopologyProvider provider)
    {
        builder.AddNumaTopology(provider: provider);
        builder.AddProject<Projects.Web>("api")
            .WithNuma(numa =>
            {
                numa.Nodes = "0";
                numa.Dispatch = NumaDispatchMode.Adaptive;
                numa.PoolSizePerNode = 64 << 20;
                numa.Settings["Transport:Backlog"] = "1024";
            });
        builder.AddContainer("cache", "cache").WithNuma("1");
        builder.AddExecutable("batch", "batch", ".").WithNuma("1");
    }

    private static IResourceBuilder<ProjectResource> AddReplicas(IDistributedApplicationBuilder builder)
    {
        var web = builder.AddProject<Projects.Web>("web").WithHttpEndpoint().WithNumaReplicaPerNode().WithNumaEndpoints();
        return web;
    }
}
