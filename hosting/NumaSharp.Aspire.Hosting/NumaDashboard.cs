using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting;

/// <summary>The machine as a resource of the dashboard.</summary>
internal static class NumaDashboard
{
    private const string PageName = "NUMA";

    public static IResourceBuilder<NumaTopologyResource> Add(
        IDistributedApplicationBuilder application, NumaTopologyResource resource)
    {
        var health = $"{resource.Name}_fit";
        application.Services.AddHealthChecks().Add(new HealthCheckRegistration(
            health,
            services => new NumaFitCheck(
                resource, application.Resources, services.GetRequiredService<ResourceNotificationService>()),
            failureStatus: null,
            tags: null));
        return application.AddResource(resource)
            .ExcludeFromManifest()
            .WithIconName("DeveloperBoard")
            .WithInitialState(new CustomResourceSnapshot
            {
                ResourceType = "NumaTopology",
                State = new ResourceStateSnapshot(KnownResourceStates.Running, KnownResourceStateStyles.Success),
                Properties = NumaProperties.Of(resource.Topology),
            })
            .WithHealthCheck(health)
            .WithCommand(
                "show-plan",
                "Show plan",
                context => ShowPlanAsync(context, resource, application.Resources),
                new CommandOptions
                {
                    Description = "Shows the threads, event loops and memory that each fenced resource gets.",
                    IconName = "TextBulletListTree",
                    IsHighlighted = true,
                })
            .WithCommand(
                "read-again",
                "Read again",
                context => ReadAgainAsync(context, resource),
                new CommandOptions { Description = "Reads the machine again.", IconName = "ArrowSync" });
    }

    /// <summary>Relates fenced resources to the machine.</summary>
    public static void ShowFences(IResourceCollection resources)
    {
        if (NumaMachine.ResourceOf(resources) is { } machine)
        {
            foreach (var (resource, _) in NumaMachine.FencedIn(resources).ToArray())
            {
                resource.Annotations.Add(new ResourceRelationshipAnnotation(machine, "Nodes"));
            }
        }
    }

    /// <summary>Reads the machine again, and publishes changes.</summary>
    /// <exception cref="NumaException">The machine cannot be read.</exception>
    public static async Task<NumaTopology> ReadAgainAsync(
        NumaTopologyResource resource, ResourceNotificationService notifications)
    {
        var before = NumaProperties.Of(resource.Topology);
        var topology = resource.ReadAgain();
        var now = NumaProperties.Of(topology);
        if (!now.SequenceEqual(before))
        {
            await notifications.PublishUpdateAsync(resource, snapshot => snapshot with { Properties = now })
                .ConfigureAwait(false);
        }

        return topology;
    }

    /// <summary>Adds an application's NUMA page to its URLs and to the machine's.</summary>
    public static void ShowPage<T>(IResourceBuilder<T> builder, string path)
        where T : IResourceWithEndpoints
    {
        var application = builder.ApplicationBuilder;
        builder.WithUrls(context =>
        {
            // A separate URL: it may be shown under another host name than the endpoint's.
            if (HttpEndpointOf(builder.Resource) is { } endpoint
                && context.Urls.Find(url => url.Endpoint?.EndpointName == endpoint.EndpointName) is { } shown)
            {
                context.Urls.Add(new ResourceUrlAnnotation
                {
                    Url = new Uri(new Uri(shown.Url), path).AbsoluteUri,
                    DisplayText = PageName,
                    Endpoint = shown.Endpoint,
                });
            }
        });
        builder.OnBeforeResourceStarted((resource, starting, _) =>
            SetActiveAsync(starting.Services, application.Resources, resource, isActive: true));
        builder.OnResourceStopped((resource, stopped, _) =>
            SetActiveAsync(stopped.Services, application.Resources, resource, isActive: false));
        builder.OnResourceEndpointsAllocated((resource, allocated, _) =>
            NumaMachine.ResourceOf(application.Resources) is { } machine
                && HttpEndpointOf(resource) is { } endpoint
                ? AddPageAsync(allocated.Services, machine, resource.Name, new Uri(new Uri(endpoint.Url), path))
                : Task.CompletedTask);
    }

    private static EndpointReference? HttpEndpointOf(IResourceWithEndpoints resource) =>
        resource.GetEndpoints().FirstOrDefault(static endpoint => endpoint.Scheme is "http" or "https");

    private static Task AddPageAsync(IServiceProvider services, NumaTopologyResource machine, string name, Uri page) =>
        NotificationsOf(services).PublishUpdateAsync(machine, snapshot => snapshot with
        {
            Urls =
            [
                .. snapshot.Urls.Where(url => url.Name != name),
                new UrlSnapshot(name, page.AbsoluteUri, IsInternal: false)
                {
                    DisplayProperties = new UrlDisplayPropertiesSnapshot($"{name} {PageName}"),
                },
            ],
        });

    // The dashboard hides inactive URLs. If one of several replicas has stopped, another serves the page.
    private static Task SetActiveAsync(
        IServiceProvider services, IEnumerable<IResource> resources, IResource resource, bool isActive) =>
        NumaMachine.ResourceOf(resources) is { } machine && resource.GetReplicaCount() == 1
            ? NotificationsOf(services).PublishUpdateAsync(machine, snapshot => snapshot with
            {
                Urls = [.. snapshot.Urls.Select(url => url.Name == resource.Name ? url with { IsInactive = !isActive } : url)],
            })
            : Task.CompletedTask;

    private static ResourceNotificationService NotificationsOf(IServiceProvider services) =>
        services.GetRequiredService<ResourceNotificationService>();

    // The dashboard opens the result; the command line and agents get it as text.
    private static Task<ExecuteCommandResult> ShowPlanAsync(
        ExecuteCommandContext context, NumaTopologyResource resource, IEnumerable<IResource> resources)
    {
        NumaDashboardLog.Plan(context.Logger, NumaPlanText.ToLines(resource.Topology, resources));
        return Task.FromResult(CommandResults.Success(
            "The plan of each fenced resource.",
            NumaPlanText.ToMarkdown(resource.Topology, resources),
            CommandResultFormat.Markdown,
            displayImmediately: true));
    }

    private static async Task<ExecuteCommandResult> ReadAgainAsync(ExecuteCommandContext context, NumaTopologyResource resource)
    {
        try
        {
            await ReadAgainAsync(resource, NotificationsOf(context.Services)).ConfigureAwait(false);
            return CommandResults.Success();
        }
        catch (NumaException exception)
        {
            return CommandResults.Failure(exception);
        }
    }
}

/// <summary>Messages in the console log of the machine's resource.</summary>
internal static partial class NumaDashboardLog
{
    [LoggerMessage(751, LogLevel.Information, "{Plan}")]
    public static partial void Plan(ILogger logger, string plan);
}

/// <summary>Whether the machine currently has all that the resources are fenced to.</summary>
internal sealed class NumaFitCheck(
    NumaTopologyResource resource, IEnumerable<IResource> resources, ResourceNotificationService notifications) : IHealthCheck
{
    public async Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        NumaTopology topology;
        try
        {
            topology = await NumaDashboard.ReadAgainAsync(resource, notifications).ConfigureAwait(false);
        }
        catch (NumaException exception)
        {
            return HealthCheckResult.Unhealthy(exception.Message, exception);
        }

        var misfits = NumaFenceCheck.FindMisfits(resources, topology);
        string[] troubles = [.. topology.Warnings, .. NumaFenceCheck.FindCrowded(resources, topology)];
        return misfits.Count > 0 ? HealthCheckResult.Unhealthy(string.Join(" ", misfits.Concat(troubles)))
            : troubles.Length > 0 ? HealthCheckResult.Degraded(string.Join(" ", troubles))
            : HealthCheckResult.Healthy();
    }
}
