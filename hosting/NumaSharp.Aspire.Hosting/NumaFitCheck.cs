using Aspire.Hosting.ApplicationModel;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting;

/// <summary>Whether the machine, as it is now, still has what the resources are fenced to.</summary>
internal sealed class NumaFitCheck(NumaTopologyResource resource, IEnumerable<IResource> resources) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(Check());

    private HealthCheckResult Check()
    {
        NumaTopology topology;
        try
        {
            topology = resource.ReadAgain();
        }
        catch (NumaException exception)
        {
            return HealthCheckResult.Unhealthy(exception.Message, exception);
        }

        var misfits = NumaFenceCheck.FindMisfits(resources, topology);
        return misfits.Count > 0 ? HealthCheckResult.Unhealthy(string.Join(" ", misfits))
            : topology.Warnings.Count > 0 ? HealthCheckResult.Degraded(string.Join(" ", topology.Warnings))
            : HealthCheckResult.Healthy();
    }
}
