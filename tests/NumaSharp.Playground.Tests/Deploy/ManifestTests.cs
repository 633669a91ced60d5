using k8s;
using k8s.Models;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;
using NumaSharp.Hosting;
using NumaSharp.Plugins.Simulated;
using YamlDotNet.Core;
using YamlDotNet.Serialization;

namespace NumaSharp.Playground.Tests.Deploy;

/// <summary>
/// The manifests are of the published API (the client's types, which know no other field), and say of the application what is so.
/// </summary>
public sealed class ManifestTests
{
    private const string Name = "numasharp-playground";
    private const string Folder = "kubernetes";
    private const string SysNice = "kubernetes-sys-nice";

    private readonly V1Deployment _deployment = Read<V1Deployment>("deployment.yaml");

    private V1Container Container => Assert.Single(_deployment.Spec.Template.Spec.Containers);

    [Fact]
    public void Read_FieldThatTheApiDoesNotHave_IsRefused() => Assert.ThrowsAny<YamlException>(
        () => KubernetesYaml.Deserialize<V1Deployment>("kind: Deployment\nspec:\n  replica: 2\n", strict: true));

    [Fact]
    public void Manifests_OfTheKustomization_AreThere()
    {
        var listed = Assert.IsType<List<object>>(ReadAny("kustomization.yaml")["resources"]);
        Assert.Equal(["deployment.yaml", "service.yaml", "autoscaler.yaml", "disruption-budget.yaml"], listed);
        Assert.Equal("Deployment", _deployment.Kind);
        Assert.Equal("Service", Read<V1Service>("service.yaml").Kind);
        Assert.Equal("HorizontalPodAutoscaler", Read<V2HorizontalPodAutoscaler>("autoscaler.yaml").Kind);
        Assert.Equal("PodDisruptionBudget", Read<V1PodDisruptionBudget>("disruption-budget.yaml").Kind);
    }

    // kustomize refuses a base that is a folder around its overlay, and takes only containers by name.
    [Fact]
    public void SysNice_OfTheKustomization_IsAnOverlayBesideItsBase()
    {
        var overlay = ReadAny("kustomization.yaml", SysNice);
        Assert.Equal([$"../{Folder}"], Assert.IsType<List<object>>(overlay["resources"]));
        var patch = Assert.IsType<Dictionary<object, object>>(Assert.Single(Assert.IsType<List<object>>(overlay["patches"])));
        var patched = Read<V1Deployment>((string)patch["path"], SysNice);
        Assert.Equal(Name, patched.Metadata.Name);
        Assert.Equal(Container.Name, Assert.Single(patched.Spec.Template.Spec.Containers).Name);
    }

    [Fact]
    public void Deployment_Resources_MakeItGuaranteedWithWholeCpus()
    {
        var (requests, limits) = (Container.Resources.Requests, Container.Resources.Limits);
        Assert.Equal(["cpu", "memory"], requests.Keys.Order());
        Assert.Equal(requests.ToDictionary(Texts, StringComparer.Ordinal), limits.ToDictionary(Texts, StringComparer.Ordinal));
        Assert.Equal(0, requests["cpu"].ToDecimal() % 1);
    }

    [Fact]
    public void Deployment_Rights_AreNone()
    {
        var (pod, container) = (_deployment.Spec.Template.Spec, Container.SecurityContext);
        Assert.True(pod.SecurityContext.RunAsNonRoot);
        Assert.Equal("RuntimeDefault", pod.SecurityContext.SeccompProfile.Type);
        Assert.False(pod.AutomountServiceAccountToken);
        Assert.True(container.ReadOnlyRootFilesystem);
        Assert.False(container.AllowPrivilegeEscalation);
        Assert.Equal(["ALL"], container.Capabilities.Drop);
        Assert.Null(container.Capabilities.Add);
        var nice = Assert.Single(Read<V1Deployment>("deployment.yaml", SysNice).Spec.Template.Spec.Containers);
        Assert.Equal(["SYS_NICE"], nice.SecurityContext.Capabilities.Add);
    }

    [Fact]
    public void Selectors_OfAll_MeetThePods()
    {
        var labels = _deployment.Spec.Template.Metadata.Labels;
        Assert.All(
            (IDictionary<string, string>[])
            [
                _deployment.Spec.Selector.MatchLabels,
                Read<V1Service>("service.yaml").Spec.Selector,
                Read<V1PodDisruptionBudget>("disruption-budget.yaml").Spec.Selector.MatchLabels,
            ],
            selector => Assert.Equal(labels, selector));
        Assert.Equal(_deployment.Metadata.Name, Read<V2HorizontalPodAutoscaler>("autoscaler.yaml").Spec.ScaleTargetRef.Name);
        Assert.Equal(
            Assert.Single(Container.Ports).Name, Assert.Single(Read<V1Service>("service.yaml").Spec.Ports).TargetPort.Value);
    }

    [Fact]
    public void Autoscaler_Metrics_AreOurs()
    {
        var metrics = Read<V2HorizontalPodAutoscaler>("autoscaler.yaml").Spec.Metrics
            .Where(static metric => metric.Type == "Pods").Select(static metric => metric.Pods.Metric.Name);
        var reference = Repository.Read("docs", "reference", "metrics.md");
        Assert.All(
            metrics,
            name => Assert.Contains($"| `{name.Replace('_', '.')}`", reference.Replace('_', '.'), StringComparison.Ordinal));
    }

    [Fact]
    public async Task Deployment_Environment_StartsTheApplicationThatItsProbesAsk()
    {
        var cancellation = TestContext.Current.CancellationToken;
        using var machine = new SimulatedMachine(SimulatedMachines.TwoSockets());
        var settings = Container.Env
            .Where(static one => one.Name.StartsWith("Numa__", StringComparison.Ordinal))
            .Select(static one => KeyValuePair.Create(one.Name.Replace("__", ":", StringComparison.Ordinal), (string?)one.Value));
        await using var web = new WebApplicationFactory<Program>().WithWebHostBuilder(web => web
            .ConfigureAppConfiguration(configuration => configuration.AddInMemoryCollection(settings))
            .ConfigureServices(services => services.AddNuma(numa => numa.UsePlatform(machine.Platform))));
        using var client = web.CreateClient();
        foreach (var probe in (V1Probe[])[Container.StartupProbe, Container.LivenessProbe, Container.ReadinessProbe])
        {
            Assert.Equal("http", probe.HttpGet.Port.Value);
            Assert.Equal("Healthy", await client.GetStringAsync(probe.HttpGet.Path, cancellation));
        }

        Assert.Empty(web.Services.FindUnknownNumaKeys());
        Assert.Equal(1L << 30, web.Services.GetRequiredService<NumaMemoryPools>()[0].LimitBytes);
    }

    // The kubelet refuses to start otherwise (kubernetes.io, "Utilizing the NUMA-aware Memory Manager").
    [Fact]
    public void Kubelet_ReservedMemory_IsAllThatIsReserved()
    {
        var kubelet = ReadAny("kubelet.yaml");
        var reserved = ((List<object>)kubelet["reservedMemory"])
            .Sum(static node => BytesIn(((Dictionary<object, object>)node)["limits"], "memory"));
        Assert.Equal(
            BytesIn(kubelet["kubeReserved"], "memory") + BytesIn(kubelet["systemReserved"], "memory")
                + BytesIn(kubelet["evictionHard"], "memory.available"),
            reserved);
        Assert.Equal("static", kubelet["cpuManagerPolicy"]);
        Assert.Equal("single-numa-node", kubelet["topologyManagerPolicy"]);
        Assert.True(CpuSet.TryParseList($"{kubelet["reservedSystemCPUs"]}", out _));
    }

    private static string Texts(KeyValuePair<string, ResourceQuantity> quantity) => $"{quantity.Key}={quantity.Value}";

    private static decimal BytesIn(object map, string key) =>
        new ResourceQuantity((string)((Dictionary<object, object>)map)[key]).ToDecimal();

    private static T Read<T>(string file, string folder = Folder) =>
        KubernetesYaml.Deserialize<T>(Repository.Read("playground", "deploy", folder, file), strict: true);

    private static Dictionary<string, object> ReadAny(string file, string folder = Folder) =>
        new Deserializer().Deserialize<Dictionary<string, object>>(Repository.Read("playground", "deploy", folder, file));
}
