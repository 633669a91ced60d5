using Aspire.Hosting.ApplicationModel;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting;

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
