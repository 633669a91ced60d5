using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using Aspire.Hosting.Eventing;
using Aspire.Hosting.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Aspire.Hosting.Tests;

/// <summary>Application models on a machine of two sockets, of which nothing is started.</summary>
internal static class TestModel
{
    /// <summary>Two nodes, 0 and 1.</summary>
    public static INumaTopologyProvider TwoSockets { get; } =
        new SimulatedMachine(SimulatedMachines.TwoSockets()).Platform.Topology;

    public static IDistributedApplicationTestingBuilder Create() => DistributedApplicationTestingBuilder.Create();

    public static async Task<IReadOnlyDictionary<string, string>> VariablesOfAsync<T>(IResourceBuilder<T> builder)
        where T : IResourceWithEnvironment
    {
        var configuration = await ExecutionConfigurationBuilder.Create(builder.Resource)
            .WithEnvironmentVariablesConfig()
            .BuildAsync(builder.ApplicationBuilder.ExecutionContext, NullLogger.Instance, TestContext.Current.CancellationToken);
        return configuration.EnvironmentVariables
            .Where(static variable => variable.Key.StartsWith("Numa", StringComparison.OrdinalIgnoreCase))
            .ToDictionary(static variable => variable.Key, static variable => variable.Value);
    }

    /// <summary>The arguments of the container engine.</summary>
    public static async Task<string[]> ArgumentsOfAsync(IResourceBuilder<ContainerResource> builder)
    {
        List<object> arguments = [];
        foreach (var annotation in builder.Resource.Annotations.OfType<ContainerRuntimeArgsCallbackAnnotation>())
        {
            await annotation.Callback(new ContainerRuntimeArgsCallbackContext(arguments, TestContext.Current.CancellationToken));
        }

        return [.. arguments.Cast<string>()];
    }

    /// <summary>What an application does before it starts anything.</summary>
    public static async Task BeginAsync(IDistributedApplicationTestingBuilder builder)
    {
        await using var application = await builder.BuildAsync(TestContext.Current.CancellationToken);
        var eventing = application.Services.GetRequiredService<IDistributedApplicationEventing>();
        var context = application.Services.GetRequiredService<DistributedApplicationExecutionContext>();
        var model = application.Services.GetRequiredService<DistributedApplicationModel>();
        foreach (var subscriber in application.Services
            .GetServices<global::Aspire.Hosting.Lifecycle.IDistributedApplicationEventingSubscriber>()
            .Where(static subscriber => subscriber.GetType().Assembly == typeof(NumaResourceBuilderExtensions).Assembly))
        {
            await subscriber.SubscribeAsync(eventing, context, TestContext.Current.CancellationToken);
        }

        await eventing.PublishAsync(new BeforeStartEvent(application.Services, model), TestContext.Current.CancellationToken);
    }

    /// <summary>Publishes a model.</summary>
    /// <returns>What came out.</returns>
    public static async Task<PublishedFolder> PublishAsync(Action<IDistributedApplicationBuilder> add)
    {
        var folder = new PublishedFolder();
        try
        {
            using var builder = DistributedApplicationTestingBuilder.Create(
                "AppHost:Operation=publish", "Pipeline:Step=publish", $"Pipeline:OutputPath={folder.Path}");
            add(builder);
            await using var application = await builder.BuildAsync(TestContext.Current.CancellationToken);
            await application.RunAsync(TestContext.Current.CancellationToken);
            return folder;
        }
        catch
        {
            folder.Dispose();
            throw;
        }
    }
}
