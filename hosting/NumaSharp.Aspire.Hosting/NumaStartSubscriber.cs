using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using Aspire.Hosting.Eventing;
using Aspire.Hosting.Lifecycle;

namespace NumaSharp.Aspire.Hosting;

/// <summary>
/// Runs once the model is complete, before any of its resources start. A published model runs on another machine, and is not
/// checked against this one.
/// </summary>
internal sealed class NumaStartSubscriber : IDistributedApplicationEventingSubscriber
{
    public Task SubscribeAsync(
        IDistributedApplicationEventing eventing,
        DistributedApplicationExecutionContext executionContext,
        CancellationToken cancellationToken)
    {
        Action<IResourceCollection> begin =
            executionContext.IsPublishMode ? NumaPublishing.Carry : Begin;
        eventing.Subscribe<BeforeStartEvent>((started, _) =>
        {
            begin(started.Model.Resources);
            return Task.CompletedTask;
        });
        return Task.CompletedTask;
    }

    private static void Begin(IResourceCollection resources)
    {
        NumaFenceCheck.ThrowIfMisfit(resources);
        NumaDashboard.ShowFences(resources);
    }
}
