using System.Globalization;
using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using NumaSharp.Core;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Health;

/// <summary>
/// Degraded while a lost datagram socket cannot be reopened (its datagrams go to the other shards, or are lost), while handler
/// calls hang, and while an option is refused by the kernel.
/// </summary>
internal sealed class UdpHealthCheck(IServiceProvider services) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(Check());

    internal static string? ProblemOf(EndPoint endPoint, NumaUdpShardStatistics shard)
    {
        var problem = shard switch
        {
            { HandlersStuck: > 0, IsServing: true } =>
                $"has hanging handler calls ({shard.HandlersStuck}); it continues with other handlers",
            { HandlersStuck: > 0 } =>
                $"has hanging handler calls ({shard.HandlersStuck}) and receives nothing",
            { IsServing: false } => "is lost, closed or not watched",
            _ => null,
        };
        return problem is null
            ? null
            : string.Create(
                CultureInfo.InvariantCulture,
                $"The socket of {endPoint} on loop {shard.LoopIndex} of node {shard.NodeId} {problem}.");
    }

    private HealthCheckResult Check()
    {
        var sockets = services.GetRequiredService<NumaUdpSocketFactory>().Sockets;
        string[] problems =
        [
            .. sockets.SelectMany(static socket => socket.GetStatistics()
                .Select(shard => ProblemOf(socket.LocalEndPoint, shard)).OfType<string>()),
            .. services.GetRequiredService<NumaFallbacks>().Describe(static one => one.IsOf(FallbackProblems.Udp)),
        ];
        return problems.Length > 0
            ? HealthCheckResult.Degraded(string.Join(" ", problems))
            : HealthCheckResult.Healthy(string.Create(
                CultureInfo.InvariantCulture,
                $"{sockets.Count} datagram sockets, {sockets.Sum(static socket => socket.Shards.Length)} shards."));
    }
}
