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
    private const string MemoryPrefix = "memory.";
    private const string LoopPrefix = "loop.";

    public static PlacementHealthCheck OfTopology(IServiceProvider provider)
    {
        return new PlacementHealthCheck(
            provider.GetRequiredService<NumaFallbacks>(),
            provider.GetRequiredService<NumaPlanMonitor>().Plan.ToString(),
            static fallback => !Concerns(fallback, MemoryPrefix)
                && !Concerns(fallback, LoopPrefix)
                && !Concerns(fallback, UdpHealthCheck.Prefix));
    }

    public static PlacementHealthCheck OfMemory(IServiceProvider provider)
    {
        var plan = provider.GetRequiredService<NumaPlan>();
        return new PlacementHealthCheck(
            provider.GetRequiredService<NumaFallbacks>(),
            $"Memory of {plan.Nodes.Count} node{(plan.Nodes.Count == 1 ? "" : "s")}, bind {plan.BindMode}",
            static fallback => Concerns(fallback, MemoryPrefix));
    }

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var messages = fallbacks.Current.Where(concerns).Select(static fallback => fallback.Message).ToArray();
        return Task.FromResult(messages.Length == 0
            ? HealthCheckResult.Healthy(summary)
            : HealthCheckResult.Degraded(string.Join(" ", messages)));
    }

    private static bool Concerns(NumaFallback fallback, string prefix) =>
        fallback.Feature.StartsWith(prefix, StringComparison.Ordinal);
}
