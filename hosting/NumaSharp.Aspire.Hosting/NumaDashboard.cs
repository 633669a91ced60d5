using System.Collections.Immutable;
using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
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
            _ => new NumaFitCheck(resource, application.Resources),
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
                    Description = "Shows which threads, event loops and memory the fence of each resource makes.",
                    IconName = "TextBulletListTree",
                    IsHighlighted = true,
                })
            .WithCommand(
                "read-again",
                "Read again",
                context => ReadAgainAsync(context, resource),
                new CommandOptions { Description = "Reads the machine again.", IconName = "ArrowSync" });
    }

    /// <summary>Makes the NUMA page of an application one of its URLs and of the machine's.</summary>
    public static void ShowPage<T>(IResourceBuilder<T> builder, string path)
        where T : IResourceWithEndpoints
    {
        var application = builder.ApplicationBuilder;
        builder.WithUrls(context =>
        {
            // Its own URL: it may be shown under another name of the host than the endpoint's.
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
        builder.OnResourceEndpointsAllocated((resource, allocated, _) =>
            NumaMachine.ResourceOf(application.Resources) is { } machine
                && HttpEndpointOf(resource) is { } endpoint
                ? AddPageAsync(allocated.Services, machine, resource.Name, new Uri(new Uri(endpoint.Url), path))
                : Task.CompletedTask);
    }

    private static EndpointReference? HttpEndpointOf(IResourceWithEndpoints resource) =>
        resource.GetEndpoints().FirstOrDefault(static endpoint => endpoint.Scheme is "http" or "https");

    private static Task AddPageAsync(IServiceProvider services, NumaTopologyResource machine, string name, Uri page) =>
        services.GetRequiredService<ResourceNotificationService>().PublishUpdateAsync(machine, snapshot => snapshot with
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

    // The dashboard opens the result; the command line and agents get it as text.
    private static Task<ExecuteCommandResult> ShowPlanAsync(
        ExecuteCommandContext context, NumaTopologyResource resource, IEnumerable<IResource> resources)
    {
        NumaDashboardLog.Plan(context.Logger, NumaPlanText.ToLines(resource.Topology, resources));
        return Task.FromResult(CommandResults.Success(
            "What each fence makes of the machine.",
            NumaPlanText.ToMarkdown(resource.Topology, resources),
            CommandResultFormat.Markdown,
            displayImmediately: true));
    }

    private static async Task<ExecuteCommandResult> ReadAgainAsync(ExecuteCommandContext context, NumaTopologyResource resource)
    {
        ImmutableArray<ResourcePropertySnapshot> properties;
        try
        {
            properties = NumaProperties.Of(resource.ReadAgain());
        }
        catch (NumaException exception)
        {
            return CommandResults.Failure(exception);
        }

        await context.Services.GetRequiredService<ResourceNotificationService>()
            .PublishUpdateAsync(resource, snapshot => snapshot with { Properties = properties })
            .ConfigureAwait(false);
        return CommandResults.Success();
    }
}
