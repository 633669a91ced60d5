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
    /// Shows the AppHost's machine on the dashboard, with commands that show the plans of the resources' fences. Fences are then
    /// checked against it; without it, against this machine.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="name">The resource's name.</param>
    /// <param name="provider">
    /// The provider that reads the machine, such as a simulated one; <see langword="null"/>, the default, for this machine's.
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
    /// Fences a project, an executable or a container to nodes or CPUs and configures its <c>AddNuma()</c>: through <c>Numa__</c>
    /// environment variables, for a container also the engine's cpuset, capabilities and limits. Calls are cumulative. When
    /// published, the settings go to Docker Compose and Kubernetes; there without the fence, which the kubelet sets.
    /// </summary>
    /// <typeparam name="T">The kind of resource.</typeparam>
    /// <param name="builder">The resource.</param>
    /// <param name="configure">Changes settings; the resource's own settings apply to the others.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentException">A setting is invalid.</exception>
    /// <remarks>
    /// A node or CPU that this machine lacks is an error when the application starts, not when it is published.
    /// </remarks>
    public static IResourceBuilder<T> WithNuma<T>(this IResourceBuilder<T> builder, Action<NumaResourceOptions> configure)
        where T : IResourceWithEnvironment
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        if (builder.Resource.TryGetLastAnnotation<NumaAnnotation>(out var annotation))
        {
            configure(annotation.Options);
            return builder;
        }

        var options = new NumaResourceOptions();
        configure(options);
        builder.ApplicationBuilder.Services.TryAddEventingSubscriber<NumaStartSubscriber>();
        if (builder.Resource is ContainerResource container)
        {
            NumaContainer.Fence(builder.ApplicationBuilder.CreateResourceBuilder(container), options);
        }

        return builder
            .WithAnnotation(new NumaAnnotation(options))
            .WithEnvironment(context =>
            {
                foreach (var (name, value) in NumaVariables.From(options))
                {
                    context.EnvironmentVariables[name] = value;
                }
            });
    }

    /// <summary>Fences a resource to nodes, as <see cref="NumaResourceOptions.Nodes"/> does.</summary>
    /// <typeparam name="T">The kind of resource.</typeparam>
    /// <param name="builder">The resource.</param>
    /// <param name="nodes">The kernel ids, as a kernel list such as <c>0-1,4</c>.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentException">Not a kernel list.</exception>
    public static IResourceBuilder<T> WithNuma<T>(this IResourceBuilder<T> builder, string nodes)
        where T : IResourceWithEnvironment
    {
        ArgumentException.ThrowIfNullOrEmpty(nodes);
        return builder.WithNuma(options => options.Nodes = nodes);
    }

    /// <summary>
    /// Runs a project once per node: one replica for each node with CPUs of its fence, or of the machine. Each replica claims a
    /// node that no other has, also after a restart (<c>Numa:Binding:Claims</c>). No effect when published: the deployment
    /// determines the number of replicas.
    /// </summary>
    /// <param name="builder">The project; a fencing <c>WithNuma</c> must come before.</param>
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
        var options = builder
            .WithNuma(options => options.Settings[NumaVariables.Claims] = claims)
            .Resource.Annotations.OfType<NumaAnnotation>().Single().Options;
        var topology = NumaMachine.Of(application.Resources);
        var plan = NumaFenceCheck.PlanOf(builder.Resource, options, topology);
        return builder.WithReplicas(NumaFence.CountOfServing(plan));
    }

    /// <summary>
    /// Declares that a resource serves the NUMA page and a health check (<c>MapNuma</c> and <c>MapHealthChecks</c>, or similar):
    /// the page becomes one of its URLs, and of the machine's, and the check determines the resource's health. Neither is
    /// published: use <c>WithHttpProbe</c> for a Kubernetes readiness probe.
    /// </summary>
    /// <typeparam name="T">The kind of resource.</typeparam>
    /// <param name="builder">The resource, with an HTTP endpoint.</param>
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
