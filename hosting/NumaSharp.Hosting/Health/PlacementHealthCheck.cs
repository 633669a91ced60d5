using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Health;

/// <summary>
/// Degraded if something could not be placed as requested. Never unhealthy: a service on the wrong node still serves, and a
/// restart would not move it.
/// </summary>
internal sealed class PlacementHealthCheck(NumaFallbacks fallbacks, string summary, Func<NumaFallback, bool> concerns)
    : IHealthCheck
{
    public static PlacementHealthCheck OfTopology(IServiceProvider provider)
    {
        return new PlacementHealthCheck(
            provider.GetRequiredService<NumaFallbacks>(),
            provider.GetRequiredService<NumaPlanMonitor>().Plan.ToString(),
            static fallback => !fallback.IsOf(FallbackProblems.Memory)
                && !fallback.IsOf(FallbackProblems.Loops)
                && !fallback.IsOf(FallbackProblems.Udp));
    }

    public static PlacementHealthCheck OfMemory(IServiceProvider provider)
    {
        var plan = provider.GetRequiredService<NumaPlan>();
        return new PlacementHealthCheck(
            provider.GetRequiredService<NumaFallbacks>(),
            $"Memory of {plan.Nodes.Count} node{(plan.Nodes.Count == 1 ? "" : "s")}, bind {plan.BindMode}",
            static fallback => fallback.IsOf(FallbackProblems.Memory));
    }

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        string[] problems = [.. fallbacks.Describe(concerns)];
        return Task.FromResult(problems.Length == 0
            ? HealthCheckResult.Healthy(summary)
            : HealthCheckResult.Degraded(string.Join(" ", problems)));
    }
}
