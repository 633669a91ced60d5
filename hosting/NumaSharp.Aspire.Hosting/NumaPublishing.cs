using System.Globalization;
using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using Aspire.Hosting.Docker;
using Aspire.Hosting.Docker.Resources.ServiceNodes;
using Aspire.Hosting.Kubernetes;
using Aspire.Hosting.Kubernetes.Resources;
using NumaSharp.Aspire.Hosting.Mapping;
using ComposeService = Aspire.Hosting.Docker.Resources.ComposeNodes.Service;

namespace NumaSharp.Aspire.Hosting;

/// <summary>
/// What a published model contains besides the environment variables. The target machines are unknown: only what the settings
/// name themselves is written.
/// </summary>
internal static class NumaPublishing
{
    /// <summary>Adds it for the environments in the model only: for others it would be refused.</summary>
    public static void Carry(IResourceCollection resources)
    {
        var hasCompose = resources.OfType<DockerComposeEnvironmentResource>().Any();
        var hasKubernetes = resources.OfType<KubernetesEnvironmentResource>().Any();
        foreach (var (resource, options) in NumaMachine.FencedIn(resources).ToArray())
        {
            // First, so that the application's own callbacks override it.
            if (hasCompose)
            {
                resource.Annotations.Insert(0, new DockerComposeServiceCustomizationAnnotation(
                    (_, service) => Carry(service, options)));
            }

            if (hasKubernetes)
            {
                resource.Annotations.Insert(0, new KubernetesServiceCustomizationAnnotation(
                    published => Carry(published, options)));
            }
        }
    }

    private static NumaContainerLimits LimitsOf(NumaResourceOptions options) =>
        NumaContainerLimits.From(options, topology: null);

    private static void Carry(ComposeService service, NumaResourceOptions options)
    {
        // Aspire's services have no cpuset: the application fences itself, through its variables.
        var limits = LimitsOf(options);
        service.CapAdd.AddRange(limits.Capabilities);
        service.SecurityOpt.AddRange(limits.SecurityOptions);
        foreach (var (name, value) in limits.Limits)
        {
            if (value > int.MaxValue)
            {
                throw new DistributedApplicationException(string.Create(
                    CultureInfo.InvariantCulture,
                    $"{service.Name}: {name} = '{value}': Docker Compose outputs take at most {int.MaxValue}."));
            }

            service.Ulimits[name] = new Ulimit { Soft = (int)value, Hard = (int)value };
        }
    }

    private static void Carry(KubernetesResource resource, NumaResourceOptions options)
    {
        // The kubelet chooses a pod's node; the id of a node that the machine lacks would fail the start.
        foreach (var name in NumaVariables.Fences)
        {
            resource.ConfigMap?.Data.Remove(name);
        }

        if (resource.Workload?.PodTemplate.Spec.Containers is not [var container, ..])
        {
            return;
        }

        if (LimitsOf(options).Capabilities is { Count: > 0 } capabilities)
        {
            container.SecurityContext ??= new SecurityContextV1();
            container.SecurityContext.Capabilities ??= new CapabilitiesV1();
            container.SecurityContext.Capabilities.Add.AddRange(capabilities);
        }

        Ask("cpu", options.PodCpus);
        Ask("memory", options.PodMemoryBytes);

        void Ask(string name, long? value)
        {
            if (value is { } number)
            {
                container.Resources ??= new ResourceRequirementsV1();
                container.Resources.Requests[name] = number.ToString(CultureInfo.InvariantCulture);
                container.Resources.Limits[name] = container.Resources.Requests[name];
            }
        }
    }
}
