using System.Net;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>What a factory reports of its loops, and what can be changed while they run.</summary>
public sealed class FactoryTests : IDisposable
{
    private readonly NumaTaskScheduler _scheduler = new(NumaSchedulingPolicy.LocalityFirst);
    private readonly EpollTransportFactory _factory;

    public FactoryTests() => _factory = new EpollTransportFactory(_scheduler);

    public void Dispose()
    {
        _factory.Dispose();
        _scheduler.Dispose();
    }

    [Fact]
    public async Task IsRunning_FromTheFirstEndPointToTheLast()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "epoll needs Linux");
        Assert.False(_factory.IsRunning);
        var first = await _factory.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        var second = await _factory.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        await first.DisposeAsync();
        Assert.True(_factory.IsRunning);
        await second.DisposeAsync();
        Wait.Until(() => !_factory.IsRunning);
    }

    [Fact]
    public void GetStatistics_OfALoop_AreThoseOfTheList()
    {
        var all = _factory.GetStatistics();
        Assert.Equal(all, Enumerable.Range(0, all.Count).Select(_factory.GetStatistics));
        Assert.Throws<ArgumentOutOfRangeException>(() => _factory.GetStatistics(all.Count));
        Assert.Throws<ArgumentOutOfRangeException>(() => _factory.GetStatistics(-1));
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void GetStatistics_OfALoop_AllocatesNothing()
    {
        var accepted = 0L;
        Assert.Equal(0, Allocations.OfSteadyState(() => accepted += _factory.GetStatistics(0).AcceptedConnections));
        Assert.Equal(0, accepted);
    }

    [Fact]
    public void SetStallThreshold_OutsideItsRange_Throws()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _factory.SetStallThreshold(TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>(() => _factory.SetStallThreshold(TimeSpan.FromSeconds(11)));
    }
}
