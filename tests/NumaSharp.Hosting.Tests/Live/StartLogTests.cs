using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Core.Planning;
using NumaSharp.Hosting.Memory;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Hosting.Tests.Starting;

public sealed class StartLogTests
{
    private readonly SimulatedMachine _machine = NumaHost.TwoNodes();

    [Fact]
    public async Task Start_AllDone_LogsThePlanInOneLine()
    {
        var log = await RunAsync(("Scheduler:ThreadsPerNode", "1"), ("Transport:LoopsPerNode", "1"));
        var line = Assert.Single(log.TextsOf(700));
        Assert.Equal(
            "NUMA: 2 nodes (Simulated), bind Advisory: node 0 [cpus 0-1: 1 thread and 1 loop, memory of node 0]; "
            + "node 1 [cpus 2-3: 1 thread and 1 loop, memory of node 1]. Transport: epoll, Adaptive. Fallbacks: none.",
            line);
        Assert.Empty(log.TextsOf(701));
        Assert.Empty(log.TextsOf(702));
    }

    [Fact]
    public async Task Start_BindRefused_SaysSoOncePerNodeAndInThePlansLine()
    {
        _machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM));
        var log = await RunAsync();
        var warnings = log.TextsOf(701);
        Assert.Equal(2, warnings.Count);
        Assert.All(warnings, static text => Assert.StartsWith("NUMA memory.bind: ", text, StringComparison.Ordinal));
        Assert.All(warnings, static text => Assert.Contains("EPERM", text, StringComparison.Ordinal));
        Assert.All(log.LevelsOf(701), static level => Assert.Equal(LogLevel.Warning, level));
        Assert.EndsWith("Fallbacks: memory.bind.", Assert.Single(log.TextsOf(700)), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", 1)]
    [InlineData("0", 0)]
    public async Task Start_ManagedHeapIsNotOnTheNodes_SaysSoOnceAndWhatToDo(string nodes, int times)
    {
        var log = await RunAsync(new ManagedHeapReport(new ManagedHeapSettings { IsServer = false }), ("Binding:Nodes", nodes));
        Assert.Equal(times, log.TextsOf(710).Count);
        Assert.All(log.TextsOf(710), static text => Assert.Contains("DOTNET_gcServer=1", text, StringComparison.Ordinal));
        Assert.All(log.LevelsOf(710), static level => Assert.Equal(LogLevel.Information, level));
        Assert.EndsWith("Fallbacks: none.", Assert.Single(log.TextsOf(700)), StringComparison.Ordinal);
    }

    // Its nodes are not where the collector's heaps are, whatever the settings of this process.
    [Fact]
    public async Task Start_MachineIsSimulated_SaysNothingOfTheManagedHeap() => Assert.Empty((await RunAsync()).TextsOf(710));

    // On a simulated machine threads are pinned nowhere: either event may come. Where both ways are the same, there is no trial.
    [Theory]
    [InlineData("false", "true", 0)]
    [InlineData("true", "true", 1)]
    [InlineData("true", "false", 0)]
    public async Task Start_PinningIsToBeMeasured_SaysWhatItGains(string measures, string isEnabled, int times)
    {
        var log = await RunAsync(("Affinity:MeasureAtStart", measures), ("Enabled", isEnabled));
        string[] texts = [.. log.TextsOf(712), .. log.TextsOf(713)];
        Assert.Equal(times, texts.Length);
        Assert.All(
            texts, static text => Assert.StartsWith("Trial of pinning: pinned threads did ", text, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Start_UnknownKeys_AreWarningsWithTheNearestKnownKey()
    {
        var log = await RunAsync(("Transport:Backlgo", "1"), ("Treshold", "1"));
        Assert.Contains(
            "Unknown setting Numa:Transport:Backlgo. Did you mean Numa:Transport:Backlog?", log.TextsOf(702));
        Assert.Equal(2, log.TextsOf(702).Count);
        Assert.Single(log.TextsOf(700));
    }

    [Fact]
    public async Task Start_Disabled_SaysSo()
    {
        var log = await RunAsync(("Enabled", "false"));
        Assert.Contains("disabled: nothing pinned or bound", Assert.Single(log.TextsOf(700)), StringComparison.Ordinal);
        Assert.Contains("Transport: Kestrel's own", Assert.Single(log.TextsOf(700)), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_StrictAndBindRefused_EndsTheStartForEveryNode()
    {
        _machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM));
        using var host = NumaHost.Create(_machine, ("Binding:Mode", "Strict"));
        var exception = await Assert.ThrowsAnyAsync<OptionsValidationException>(() =>
            host.StartAsync(TestContext.Current.CancellationToken));
        Assert.Equal(2, exception.Failures.Count());
        Assert.All(exception.Failures, static failure =>
            Assert.StartsWith("Numa:Binding:Mode = 'Strict': ", failure, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Fallback_WhileRunning_IsLoggedOnceAndCountedEveryTime()
    {
        var builder = NumaHost.CreateBuilder(("Topology:Provider", SimulatedMachine.ProviderName));
        var log = builder.RecordLogs();
        builder.AddNuma(numa => numa.AddMachine(_machine));
        using var host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        var fallbacks = host.Services.GetRequiredService<NumaFallbacks>();
        fallbacks.Report(new NumaFallback("affinity.pin", "Refused.", new(1)));
        fallbacks.Report(new NumaFallback("affinity.pin", "Refused.", new(1)));
        Assert.Equal([$"NUMA affinity.pin: Refused. {FallbackCatalog.AffinityPin.Remedy}"], log.TextsOf(701));
        Assert.Equal(2, fallbacks.ReportCount);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    private Task<RecordingLog> RunAsync(params (string Key, string? Value)[] settings) => RunAsync(null, settings);

    private async Task<RecordingLog> RunAsync(ManagedHeapReport? managedHeap, params (string Key, string? Value)[] settings)
    {
        var builder = NumaHost.CreateBuilder([("Topology:Provider", SimulatedMachine.ProviderName), .. settings]);
        var log = builder.RecordLogs();
        if (managedHeap is not null)
        {
            builder.Services.AddSingleton(managedHeap);
        }

        builder.AddNuma(numa => numa.AddMachine(_machine));
        using var host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        await host.StopAsync(TestContext.Current.CancellationToken);
        return log;
    }
}
