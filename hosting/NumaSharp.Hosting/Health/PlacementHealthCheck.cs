using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using NumaSharp.Core;
using NumaSharp.Hosting.Memory;

namespace NumaSharp.Hosting.Health;

/// <summary>
/// Degraded if something could not be placed as requested. Never unhealthy: a service on the wrong node still serves, and a
/// restart would not move it.
/// </summary>
/// <param name="fallbacks">What did not work.</param>
/// <param name="summary">What it says if nothing concerns it.</param>
/// <param name="concerns">Which fallbacks concern it.</param>
/// <param name="information">What else there is to know; changes no status.</param>
internal sealed class PlacementHealthCheck(
    NumaFallbacks fallbacks,
    string summary,
    Func<NumaFallback, bool> concerns,
    IReadOnlyDictionary<string, object>? information = null)
    : IHealthCheck
{
    /// <summary>The information about objects that may be on other nodes than the threads that allocate them.</summary>
    public const string ManagedHeapKey = "managedHeap";

    public static PlacementHealthCheck OfTopology(IServiceProvider provider)
    {
        var plan = provider.GetRequiredService<NumaPlanMonitor>().Plan;
        return new PlacementHealthCheck(
            provider.GetRequiredService<NumaFallbacks>(),
            plan.ToString(),
            static fallback => !fallback.IsOf(FallbackProblems.Memory)
                && !fallback.IsOf(FallbackProblems.Loops)
                && !fallback.IsOf(FallbackProblems.Udp),
            provider.GetRequiredService<ManagedHeapReport>().Find(plan) is { } heap
                ? new Dictionary<string, object> { [ManagedHeapKey] = heap.ToString() }
                : null);
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
            ? HealthCheckResult.Healthy(summary, information)
            : HealthCheckResult.Degraded(string.Join(" ", problems), data: information));
    }
}
