using System.Text.Json;
using System.Text.RegularExpressions;
using k8s;
using k8s.Models;

namespace NumaSharp.Templates.Tests;

/// <summary>
/// The template's manifest is of the published API (the client's types, which know no other field), and agrees with its program,
/// its Dockerfile and the schema of the settings.
/// </summary>
public sealed partial class ManifestTests
{
    // The template's engine puts the application's name in its place.
    private const string Name = "numa-web-app";
    private const string Port = "8080";
    private const string Prefix = "Numa__";

    private static readonly string[] s_template = ["templates", "NumaSharp.Templates", "numa-web"];
    private static readonly string[] s_documents = Read("deploy", "kubernetes.yaml").Split("\n---\n");

    private readonly V1Deployment _deployment = KubernetesYaml.Deserialize<V1Deployment>(s_documents[0], strict: true);
    private readonly V1Service _service = KubernetesYaml.Deserialize<V1Service>(s_documents[1], strict: true);

    private V1Container Container => Assert.Single(_deployment.Spec.Template.Spec.Containers);

    [Fact]
    public void Manifest_Documents_AreADeploymentAndAService() =>
        Assert.Equal((2, "Deployment", "Service"), (s_documents.Length, _deployment.Kind, _service.Kind));

    [Fact]
    public void Probes_AskPathsThatTheProgramHas()
    {
        string[] mapped =
        [
            .. HealthPath().Matches(Read("Program.cs")).Select(static match => match.Groups["path"].Value),
        ];
        V1Probe[] probes = [Container.StartupProbe, Container.LivenessProbe, Container.ReadinessProbe];
        Assert.All(probes, probe => Assert.Contains(probe.HttpGet.Path, mapped));
        Assert.All(probes, probe => Assert.Equal(Assert.Single(Container.Ports).Name, probe.HttpGet.Port.Value));

        // A restart does not mend what NUMA must do without: only readiness asks for that.
        Assert.Equal("/alive", Container.LivenessProbe.HttpGet.Path);
        Assert.Equal("/health", Container.ReadinessProbe.HttpGet.Path);
    }

    [Fact]
    public void Port_OfTheManifest_IsThatOfTheImage()
    {
        var port = Assert.Single(Container.Ports);
        Assert.Equal(8080, port.ContainerPort);
        Assert.Equal(port.Name, Assert.Single(_service.Spec.Ports).TargetPort.Value);
        var dockerfile = Read("Dockerfile");
        Assert.Contains($" ASPNETCORE_HTTP_PORTS={Port} ", dockerfile, StringComparison.Ordinal);
        Assert.Contains($"\nEXPOSE {Port}\n", dockerfile, StringComparison.Ordinal);
        Assert.Contains($" -p {Port}:{Port} {Name}\n", dockerfile, StringComparison.Ordinal);
    }

    [Fact]
    public void Name_IsTheSameEverywhere()
    {
        var labels = _deployment.Spec.Template.Metadata.Labels;
        Assert.Equal(Name, Assert.Single(labels).Value);
        Assert.Equal(labels, _deployment.Spec.Selector.MatchLabels);
        Assert.Equal(labels, _service.Spec.Selector);
        Assert.Equal((Name, Name), (_deployment.Metadata.Name, _service.Metadata.Name));
        Assert.Equal(Name, Container.Image.Split(':')[0]);
        Assert.Contains($"docker build -t {Name} .\n", Read("Dockerfile"), StringComparison.Ordinal);
    }

    [Fact]
    public void Resources_MakeThePodGuaranteedWithWholeCpus()
    {
        var (requests, limits) = (Container.Resources.Requests, Container.Resources.Limits);
        Assert.Equal(["cpu", "memory"], requests.Keys.Order());
        Assert.Equal(requests.Select(Text).Order(), limits.Select(Text).Order());
        Assert.Equal(0, requests["cpu"].ToDecimal() % 1);
    }

    // 1654 is the user of Microsoft's images, APP_UID.
    [Fact]
    public void Rights_AreNone()
    {
        var (pod, container) = (_deployment.Spec.Template.Spec, Container.SecurityContext);
        Assert.True(pod.SecurityContext.RunAsNonRoot);
        Assert.Equal(1654L, pod.SecurityContext.RunAsUser);
        Assert.Contains("\nUSER $APP_UID\n", Read("Dockerfile"), StringComparison.Ordinal);
        Assert.Equal("RuntimeDefault", pod.SecurityContext.SeccompProfile.Type);
        Assert.False(pod.AutomountServiceAccountToken);
        Assert.True(container.ReadOnlyRootFilesystem);
        Assert.False(container.AllowPrivilegeEscalation);
        Assert.Equal(["ALL"], container.Capabilities.Drop);
        Assert.Null(container.Capabilities.Add);
    }

    [Fact]
    public void Environment_HasOnlyKeysOfTheSchema()
    {
        using var schema = JsonDocument.Parse(Repository.Read("appsettings.schema.json"));
        string[] keys =
        [
            .. from variable in Container.Env
               where variable.Name.StartsWith(Prefix, StringComparison.Ordinal)
               select variable.Name,
        ];
        Assert.NotEmpty(keys);
        Assert.All(keys, key => Assert.True(IsKey(schema.RootElement, key), $"{key} is no key of the schema."));
    }

    private static bool IsKey(JsonElement schema, string key)
    {
        var part = schema;
        foreach (var name in key.Split("__"))
        {
            if (!part.TryGetProperty("properties", out var properties) || !properties.TryGetProperty(name, out part))
            {
                return false;
            }
        }

        return true;
    }

    private static string Text(KeyValuePair<string, ResourceQuantity> quantity) => $"{quantity.Key}={quantity.Value}";

    private static string Read(params string[] parts) => Repository.Read([.. s_template, .. parts]);

    [GeneratedRegex("MapHealthChecks\\(\"(?<path>[^\"]+)\"", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex HealthPath();
}
