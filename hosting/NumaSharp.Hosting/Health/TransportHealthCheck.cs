using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using NumaSharp.Core;
using NumaSharp.Hosting.Transport;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Health;

/// <summary>
/// Degraded while a listening socket does not accept for lack of descriptors or memory, or is lost, or a loop has no spare
/// thread; unhealthy while epoll fails on a loop, or a callback blocks one that no other thread can take over: restarting the
/// process would let its connections be served elsewhere.
/// </summary>
internal sealed class TransportHealthCheck(IServiceProvider services) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(Check());

    internal static HealthStatus StatusOf(IEnumerable<EpollLoopStatistics> loops) =>
        loops.All(static loop => loop.IsServing && loop.StuckFor == TimeSpan.Zero)
            ? HealthStatus.Degraded
            : HealthStatus.Unhealthy;

    internal static string? ProblemOf(EpollLoopStatistics loop)
    {
        var problem = loop switch
        {
            { IsServing: false } => "failed (epoll) and cannot be rebuilt: out of descriptors or memory",
            { StuckFor.Ticks: > 0 } => string.Create(
                CultureInfo.InvariantCulture,
                $"has been blocked for {(long)loop.StuckFor.TotalSeconds} s by one callback (event 511 or 611 names it)"),
            { BrokenListeners: > 0 } => "does not accept: its listening socket is lost and cannot be reopened",
            { PausedListeners: > 0 } => "does not accept: out of descriptors or memory",
            _ => null,
        };
        return problem is null
            ? null
            : string.Create(CultureInfo.InvariantCulture, $"Loop {loop.LoopIndex} on node {loop.NodeId} {problem}.");
    }

    private HealthCheckResult Check()
    {
        if (!services.GetRequiredService<TransportChoice>().IsOurs)
        {
            return HealthCheckResult.Healthy(
                "Kestrel uses its own transport: Numa:Transport is not enabled, UseSockets() was called after AddNuma(), or this "
                + "is not Linux.");
        }

        var loops = services.GetRequiredService<EpollTransportFactory>().GetStatistics();
        string[] problems =
        [
            .. loops.Select(ProblemOf).OfType<string>(),
            .. services.GetRequiredService<NumaFallbacks>().Describe(static one => one.IsOf(FallbackProblems.Loops)),
        ];
        return problems.Length > 0
            ? new HealthCheckResult(StatusOf(loops), string.Join(" ", problems))
            : HealthCheckResult.Healthy(string.Create(
                CultureInfo.InvariantCulture,
                $"{loops.Count} loops, {loops.Sum(static loop => loop.ActiveConnections)} connections."));
    }
}
