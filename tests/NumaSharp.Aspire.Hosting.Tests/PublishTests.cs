using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using YamlDotNet.RepresentationModel;

namespace NumaSharp.Aspire.Hosting.Tests;

/// <summary>What goes with a model that is published.</summary>
public sealed class PublishTests
{
    [Fact]
    public async Task Compose_Settings_AreVariablesCapabilitiesAndLimits()
    {
        using var folder = await PublishAsync(static builder => builder.AddDockerComposeEnvironment("compose"));
        var service = At(folder.Read("docker-compose.yaml"), "services", "api");

        Assert.Equal("7", TextAt(service, "environment", "Numa__Binding__Nodes"));
        Assert.Equal("Node", TextAt(service, "environment", "Numa__Transport__Dispatch"));
        Assert.Equal("67108864", TextAt(service, "environment", "Numa__Memory__PoolSizePerNode"));
        Assert.Equal(["SYS_NICE"], TextsAt(service, "cap_add"));
        Assert.Equal(["seccomp=numa.json"], TextsAt(service, "security_opt"));
        Assert.Equal("4000", TextAt(service, "ulimits", "nofile", "hard"));
    }

    [Fact]
    public async Task Kubernetes_Settings_AreConfigurationResourcesAndCapabilitiesWithoutTheFence()
    {
        using var folder = await PublishAsync(static builder => builder.AddKubernetesEnvironment("kubernetes"));
        var configuration = ((YamlMappingNode)At(folder.Read("templates", "api", "config.yaml"), "data")).Children.Keys
            .Select(static key => key.ToString());
        Assert.Contains("Numa__Transport__Dispatch", configuration);
        Assert.Contains("Numa__Memory__PoolSizePerNode", configuration);
        Assert.DoesNotContain("Numa__Binding__Nodes", configuration);
        var deployment = folder.Read("templates", "api", "deployment.yaml");
        var containers = (YamlSequenceNode)At(deployment, "spec", "template", "spec", "containers");
        var container = Assert.Single(containers);
        Assert.Equal(["SYS_NICE"], TextsAt(container, "securityContext", "capabilities", "add"));
        foreach (var side in (string[])["requests", "limits"])
        {
            Assert.Equal("4", TextAt(container, "resources", side, "cpu"));
            Assert.Equal("2147483648", TextAt(container, "resources", side, "memory"));
        }
    }

    private static Task<PublishedFolder> PublishAsync(Action<IDistributedApplicationBuilder> addEnvironment) =>
        TestModel.PublishAsync(builder =>
        {
            addEnvironment(builder);
            AddApi(builder);
        });

    private static void AddApi(IDistributedApplicationBuilder builder)
    {
        _ = builder.AddNumaTopology(provider: TestModel.TwoSockets);
        _ = builder.AddContainer("api", "api").WithNuma(static numa =>
        {
            // The machine that it will run on has it; this one does not.
            numa.Nodes = "7";
            numa.Dispatch = NumaDispatchMode.Node;
            numa.PoolSizePerNode = 64 << 20;
            numa.AllowMemoryBinding = true;
            numa.SeccompProfile = "numa.json";
            numa.OpenFiles = 4000;
            numa.PodCpus = 4;
            numa.PodMemoryBytes = 2L << 30;
        });
    }

    private static YamlNode At(YamlNode node, params string[] path) => path.Aggregate(node, static (at, key) => at[key]);

    private static string TextAt(YamlNode node, params string[] path) => At(node, path).ToString();

    private static string[] TextsAt(YamlNode node, params string[] path) =>
        [.. ((YamlSequenceNode)At(node, path)).Select(static item => item.ToString())];
}
