using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using NumaSharp.Core;
using NumaSharp.Playground.AppHost;

namespace NumaSharp.Aspire.Hosting.Tests;

/// <summary>The AppHost of the playground.</summary>
public sealed class PlaygroundTests
{
    [Fact]
    public async Task Model_OfThisMachine_HasAWebAppPerNode()
    {
        using var builder = TestModel.Create();
        builder.AddServicesOfThisMachine();
        int[] nodes =
            [.. NumaTopology.Instance.Nodes.Where(static node => !node.Cpus.IsEmpty).Select(static node => node.NodeId)];

        Assert.Equal(
            ["load", "numa", "udp", .. nodes.Select(static id => $"web-{id}").Order(StringComparer.Ordinal)],
            builder.Resources.Where(static resource => resource is ProjectResource or NumaTopologyResource)
                .Select(static resource => resource.Name)
                .Order(StringComparer.Ordinal));
        foreach (var id in nodes)
        {
            var web = builder.CreateResourceBuilder(
                builder.Resources.OfType<ProjectResource>().Single(project => project.Name == $"web-{id}"));
            _ = web.WithEndpoint("http", static endpoint =>
                endpoint.AllocatedEndpoint = new AllocatedEndpoint(endpoint, "localhost", 5080, targetPortExpression: "5080"));
            Assert.Equal($"{id}", (await TestModel.VariablesOfAsync(web))["Numa__Binding__Nodes"]);
            Assert.Contains(
                web.Resource.Annotations.OfType<HealthCheckAnnotation>(),
                static check => check.Key.Contains("/health", StringComparison.Ordinal));
        }

        await TestModel.BeginAsync(builder);
    }

    [Theory]
    [InlineData("compose", "docker-compose.yaml")]
    [InlineData("kubernetes", "Chart.yaml")]
    public async Task Model_Published_HasOneWebAppWithoutFence(string target, string file)
    {
        using var folder = new PublishedFolder();
        _ = await ExternalProgram.RunAsync(
            DotnetHost.Path,
            Path.Combine(AppContext.BaseDirectory, "NumaSharp.Playground.AppHost.dll"),
            "--operation",
            "publish",
            "--step",
            "publish",
            "--output-path",
            folder.Path,
            $"--Target={target}");
        Assert.True(File.Exists(Path.Combine(folder.Path, file)));
        var text = string.Concat(
            Directory.GetFiles(folder.Path, "*.yaml", SearchOption.AllDirectories).Select(File.ReadAllText));
        Assert.Contains("Numa__Transport__Dispatch", text, StringComparison.Ordinal);
        Assert.DoesNotContain("Numa__Binding__", text, StringComparison.Ordinal);
        foreach (var endpoint in (string[])["dns", "echo"])
        {
            Assert.Matches($"Numa__Udp__{endpoint}__Address: \"\\*\"", text);
        }
    }
}
