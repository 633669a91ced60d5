using Microsoft.Extensions.Logging.Abstractions;
using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Hosting.Live;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Hosting.Tests.Starting;

/// <summary>A topology provider, which may be a plugin's, waits for another thread while it is asked to watch.</summary>
public sealed class MachineFollowerTests : IDisposable
{
    private static readonly TimeSpan s_day = TimeSpan.FromDays(1);

    private readonly SimulatedMachine _machine = NumaHost.TwoNodes();
    private readonly INumaTopologyProvider _topology = Substitute.For<INumaTopologyProvider>();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly ManualTime _time = new();
    private readonly NumaPlanMonitor _monitor;
    private readonly MachineFollower _follower;

    public MachineFollowerTests()
    {
        _monitor = new NumaPlanMonitor(
            NumaPlan.Create(_machine.Platform.Topology.Read()), _machine.PlatformWith(_topology), _fallbacks, _time);
        _follower = new MachineFollower(_monitor, NullLoggerFactory.Instance);
    }

    public void Dispose()
    {
        _monitor.Dispose();
        _machine.Dispose();
    }

    [Fact]
    public void SetInterval_TheProviderWaitsForAStop_Stops()
    {
        WhenWatched(_follower.Stop);
        _follower.SetInterval(s_day);
        Assert.Throws<ObjectDisposedException>(() => _monitor.SetInterval(s_day));
        Assert.Equal(0, _time.TimerCount);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void SetInterval_TheProviderWaitsForAnotherInterval_SetsThatAfterwards()
    {
        WhenWatched(() => _follower.SetInterval(TimeSpan.Zero));
        _follower.SetInterval(s_day);
        Assert.Equal(Timeout.InfiniteTimeSpan, _time.Interval);
        Assert.Empty(_fallbacks.Current);
    }

    // A wait that fails is a fallback: the monitor catches what a provider throws.
    private void WhenWatched(Action action) => _topology.Watch(Arg.Any<Action>()).Returns(_ =>
    {
        TestThreads.Run(action);
        return null;
    });
}
