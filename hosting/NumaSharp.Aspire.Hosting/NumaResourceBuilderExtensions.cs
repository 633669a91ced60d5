using Aspire.Hosting.ApplicationModel;
using Aspire.Hosting.Lifecycle;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Aspire.Hosting;
using NumaSharp.Aspire.Hosting.Mapping;
using NumaSharp.Core;

namespace Aspire.Hosting;

/// <summary>NUMA for the resources of an AppHost.</summary>
public static class NumaResourceBuilderExtensions
{
    /// <summary>
    /// Shows the machine of the AppHost on the dashboard, with commands that show what the resources' fences make of it. Fences
    /// are then checked against it; without it, against this machine.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="name">The resource's name.</param>
    /// <param name="provider">
    /// Who reads the machine, such as a simulated one; <see langword="null"/>, the default, for this one.
    /// </param>
    /// <returns>The builder of the resource.</returns>
    /// <exception cref="NumaException">The machine cannot be read.</exception>
    public static IResourceBuilder<NumaTopologyResource> AddNumaTopology(
        this IDistributedApplicationBuilder builder, [ResourceName] string name = "numa", INumaTopologyProvider? provider = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(name);
        return NumaDashboard.Add(
            builder, new NumaTopologyResource(name, provider ?? NumaPlatform.Default.Topology, provider is null));
    }

    /// <summary>
    /// Fences a project, an executable or a container to nodes or CPUs and sets what its <c>AddNuma()</c> does: by
    /// <c>Numa__</c> environment variables, and for a container also by the engine's cpuset, capabilities and limits. Calls add
    /// up. Published, the settings go to Docker Compose and to Kubernetes; there without the fence, which the kubelet sets.
    /// </summary>
    /// <typeparam name="T">The kind of resource.</typeparam>
    /// <param name="builder">The resource.</param>
    /// <param name="configure">Sets what the resource's own settings leave open.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentException">A setting is not what it has to be.</exception>
    /// <remarks>
    /// A node or CPU that this machine lacks is an error when the application starts, not when it is published.
    /// </remarks>
    public static IResourceBuilder<T> WithNuma<T>(this IResourceBuilder<T> builder, Action<NumaResourceSettings> configure)
        where T : IResourceWithEnvironment
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        if (builder.Resource.TryGetLastAnnotation<NumaAnnotation>(out var annotation))
        {
            configure(annotation.Settings);
            return builder;
        }

        var settings = new NumaResourceSettings();
        configure(settings);
        builder.ApplicationBuilder.Services.TryAddEventingSubscriber<NumaStartSubscriber>();
        if (builder.Resource is ContainerResource container)
        {
            NumaContainer.Fence(builder.ApplicationBuilder.CreateResourceBuilder(container), settings);
        }

        return builder
            .WithAnnotation(new NumaAnnotation(settings))
            .WithEnvironment(context =>
            {
                foreach (var (name, value) in NumaVariables.From(settings))
                {
                    context.EnvironmentVariables[name] = value;
                }
            });
    }

    /// <summary>Fences a resource to nodes, as <see cref="NumaResourceSettings.Nodes"/> does.</summary>
    /// <typeparam name="T">The kind of resource.</typeparam>
    /// <param name="builder">The resource.</param>
    /// <param name="nodes">The kernel ids, as a kernel list such as <c>0-1,4</c>.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentException">It is no such list.</exception>
    public static IResourceBuilder<T> WithNuma<T>(this IResourceBuilder<T> builder, string nodes)
        where T : IResourceWithEnvironment
    {
        ArgumentException.ThrowIfNullOrEmpty(nodes);
        return builder.WithNuma(settings => settings.Nodes = nodes);
    }

    /// <summary>
    /// Runs a project once per node: as many replicas as the nodes of its fence, or of the machine, that have CPUs. Each takes a
    /// node that no other replica has, also after a restart (<c>Numa:Binding:Claims</c>). Published, it changes nothing: how many
    /// replicas there are is the deployment's business.
    /// </summary>
    /// <param name="builder">The project; <c>WithNuma</c> that fences it comes before.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="DistributedApplicationException">The fence names nodes or CPUs that this machine lacks.</exception>
    public static IResourceBuilder<ProjectResource> WithNumaReplicaPerNode(this IResourceBuilder<ProjectResource> builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        var application = builder.ApplicationBuilder;
        if (application.ExecutionContext.IsPublishMode)
        {
            return builder;
        }

        var claims = Path.Combine(application.AppHostDirectory, "obj", "numa", builder.Resource.Name);
        var settings = builder
            .WithNuma(settings => settings.Settings[NumaVariables.Claims] = claims)
            .Resource.Annotations.OfType<NumaAnnotation>().Single().Settings;
        var topology = NumaMachine.Of(application.Resources);
        NumaFenceCheck.ThrowIfMisfit(builder.Resource, settings, topology);
        return builder.WithReplicas(NumaFence.CountOfServing(settings, topology));
    }

    /// <summary>
    /// Says that a resource serves the NUMA page and a health check (<c>MapNuma</c> and <c>MapHealthChecks</c>, or their like):
    /// the page is then one of its URLs, and of the machine's, and the resource is healthy when the check says so. Neither is
    /// published: a readiness probe for Kubernetes is <c>WithHttpProbe</c>'s business.
    /// </summary>
    /// <typeparam name="T">The kind of resource.</typeparam>
    /// <param name="builder">The resource; it has an HTTP endpoint.</param>
    /// <param name="page">The path of the page.</param>
    /// <param name="health">The path of the health check.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="DistributedApplicationException">The resource has no HTTP endpoint.</exception>
    public static IResourceBuilder<T> WithNumaEndpoints<T>(
        this IResourceBuilder<T> builder, string page = "/numa", string health = "/health")
        where T : IResourceWithEndpoints
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(page);
        ArgumentException.ThrowIfNullOrEmpty(health);
        NumaDashboard.ShowPage(builder, page);
        return builder.WithHttpHealthCheck(health);
    }
}
