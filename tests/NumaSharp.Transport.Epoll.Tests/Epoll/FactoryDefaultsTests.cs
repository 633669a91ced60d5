using System.Collections.Concurrent;
using System.Net;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>A transport that is given a scheduler alone pins its threads and reports as that one does.</summary>
public sealed class FactoryDefaultsTests : IDisposable
{
    private readonly ConcurrentDictionary<string, bool> _pinning = new();
    private readonly FakeAffinity _affinity = new();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly NumaTaskScheduler _scheduler;
    private readonly EpollTransportFactory _transport;

    public FactoryDefaultsTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        _affinity.OnPinning = () => _pinning.TryAdd(Thread.CurrentThread.Name ?? "", true);
        _scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions
        {
            Plan = TestMachines.Row(2, 2).Plan(),
            Affinity = _affinity,
            Fallbacks = _fallbacks,
        });
        _transport = new EpollTransportFactory(_scheduler);
    }

    public void Dispose()
    {
        _transport.Dispose();
        _scheduler.Dispose();
    }

    [Fact]
    public async Task Loops_AreOnTheCpusOfTheirNodes()
    {
        await using var listener = await _transport.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));

        Wait.Until(() => LoopsThatPinned().Count == _transport.GetStatistics().Count);
        Assert.Contains(CpuSet.ParseList("2-3"), _affinity.Pinned.Values);
    }

    [Fact]
    public async Task Loops_CannotBePinned_IsReported()
    {
        // The workers and their monitor. Workers that sleep do not move themselves any more.
        Wait.Until(() => _affinity.Pinned.Count == _scheduler.MaximumConcurrencyLevel + 1
            && _scheduler.Groups.All(static group => group.IdleCount == group.WorkerCount));
        _affinity.Answer = new NumaResult(NumaFailure.NotPermitted, 1, "EPERM");
        Assert.Empty(_fallbacks.Current);

        await using var listener = await _transport.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));

        Wait.Until(() => _fallbacks.Current.Count(static it => it.Feature == "affinity.pin") == 2);
    }

    private List<string> LoopsThatPinned() =>
        [.. _pinning.Keys.Where(static name => name.Contains("loop", StringComparison.Ordinal))];
}
