using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Hosting.Page;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Hosting.Tests.Page;

/// <summary>
/// The figures come from a provider, which may be a plugin's, and may wait for another thread that wants the state.
/// </summary>
public sealed class PageDataFeedTests : IDisposable
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(10);

    private readonly SimulatedMachine _machine = NumaHost.TwoNodes();
    private readonly INumaTopologyProvider _topology = Substitute.For<INumaTopologyProvider>();
    private readonly ManualTime _time = new();
    private readonly IHost _host;
    private Action? _onNextRead;

    public PageDataFeedTests()
    {
        _topology.Name.Returns("Mine");
        _topology.Read().Returns(_machine.Platform.Topology.Read());
        _topology.ReadStatistics(Arg.Any<NumaNodeId>()).Returns(_ =>
        {
            Interlocked.Exchange(ref _onNextRead, null)?.Invoke();
            return new NumaNodeStatistics
            {
                MemoryBytes = 8,
                MemoryFreeBytes = 3,
                Hit = 1,
                Miss = 2,
                Foreign = 3,
                InterleaveHit = 4,
                Local = 5,
                Other = 6,
            };
        });
        var builder = NumaHost.CreateBuilder(("Page:Interval", "10s"), ("Telemetry:Interval", "10s"));
        builder.Services.AddSingleton<TimeProvider>(_time);
        builder.AddNuma(numa => numa.UsePlatform(_machine.PlatformWith(_topology)));
        _host = builder.Build();
    }

    private PageDataFeed Feed => _host.Services.GetRequiredService<PageDataFeed>();

    private NumaFallbacks Fallbacks => _host.Services.GetRequiredService<NumaFallbacks>();

    public void Dispose()
    {
        _host.Dispose();
        _machine.Dispose();
    }

    [Fact]
    public void Read_TheFirstWaitsForAnotherThreadsFirst_EachReadsItsOwn()
    {
        var start = _time.GetUtcNow();
        DateTimeOffset? others = null;
        _onNextRead = () => others = TestThreads.Run(() => TimeOf(Feed.Read()));
        Assert.Equal(start, TimeOf(Feed.Read()));
        Assert.Equal(start, others);
        Assert.DoesNotContain(Fallbacks.Current, static one => one.Feature == "telemetry.memory");
    }

    [Fact]
    public void Read_ALaterOneWaitsForAnotherThread_ThatOneHasTheLast()
    {
        var first = Feed.Read();
        Assert.Same(first, Feed.Read());
        _time.Advance(s_interval);
        string? others = null;
        _onNextRead = () => others = TestThreads.Run(() => Feed.Read());
        var second = Feed.Read();
        Assert.Equal(s_interval, TimeOf(second) - TimeOf(first));
        Assert.Same(first, others);
        Assert.Same(second, Feed.Read());
        Assert.DoesNotContain(Fallbacks.Current, static one => one.Feature == "telemetry.memory");
    }

    private static DateTimeOffset TimeOf(string state)
    {
        using var document = JsonDocument.Parse(state);
        return document.RootElement.GetProperty("time").GetDateTimeOffset();
    }
}
