using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Transport;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Health;

/// <summary>
/// Degraded while a listening socket does not accept for lack of descriptors or memory, or a loop has no spare thread.
/// </summary>
internal sealed class TransportHealthCheck(IServiceProvider services) : IHealthCheck
{
    private const string LoopPrefix = "loop.";

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(Check());

    private HealthCheckResult Check()
    {
        if (!NodeTransportFactory.IsOn(services.GetRequiredService<IOptions<NumaOptions>>().Value))
        {
            return HealthCheckResult.Healthy(
                "Kestrel's own transport serves: Numa:Transport is not enabled, or this is not Linux.");
        }

        var loops = services.GetRequiredService<EpollTransportFactory>().GetStatistics();
        string[] problems =
        [
            .. loops.Where(static loop => loop.PausedListeners > 0).Select(static loop => string.Create(
                CultureInfo.InvariantCulture,
                $"Loop {loop.LoopIndex} of node {loop.NodeId} does not accept: descriptors or memory are short.")),
            .. services.GetRequiredService<NumaFallbacks>().Current
                .Where(static fallback => fallback.Feature.StartsWith(LoopPrefix, StringComparison.Ordinal))
                .Select(static fallback => fallback.Message),
        ];
        return problems.Length > 0
            ? HealthCheckResult.Degraded(string.Join(" ", problems))
            : HealthCheckResult.Healthy(string.Create(
                CultureInfo.InvariantCulture,
                $"{loops.Count} loops, {loops.Sum(static loop => loop.ActiveConnections)} connections."));
    }
}
