using Microsoft.Extensions.Diagnostics.HealthChecks;
using NumaSharp.Hosting.Health;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Tests.Health;

public sealed class TransportHealthCheckTests
{
    private static readonly EpollLoopStatistics s_fine = new() { NodeId = new(1), LoopIndex = 3, IsServing = true };

    [Fact]
    public void ProblemOf_LoopThatServes_IsNone() => Assert.Null(TransportHealthCheck.ProblemOf(s_fine));

    [Fact]
    public void ProblemOf_Trouble_NamesTheLoopAndTheWorst()
    {
        var paused = s_fine with { PausedListeners = 1 };
        var lost = paused with { BrokenListeners = 1 };
        var stuck = lost with { StuckFor = TimeSpan.FromSeconds(7.5) };
        var failed = stuck with { IsServing = false };

        Assert.Equal(
            "Loop 3 on node 1 does not accept: out of descriptors or memory.", TransportHealthCheck.ProblemOf(paused));
        Assert.Contains("its listening socket is lost", TransportHealthCheck.ProblemOf(lost), StringComparison.Ordinal);
        Assert.Equal(
            "Loop 3 on node 1 has been blocked for 7 s by one callback (event 511 or 611 names it).",
            TransportHealthCheck.ProblemOf(stuck));
        Assert.Contains("failed (epoll)", TransportHealthCheck.ProblemOf(failed), StringComparison.Ordinal);
    }

    [Fact]
    public void StatusOf_OneLoopIsFailedOrStuck_IsUnhealthy()
    {
        Assert.Equal(HealthStatus.Degraded, TransportHealthCheck.StatusOf([s_fine, s_fine with { BrokenListeners = 1 }]));
        Assert.Equal(HealthStatus.Unhealthy, TransportHealthCheck.StatusOf([s_fine, s_fine with { IsServing = false }]));
        Assert.Equal(
            HealthStatus.Unhealthy, TransportHealthCheck.StatusOf([s_fine, s_fine with { StuckFor = TimeSpan.FromSeconds(5) }]));
    }
}
