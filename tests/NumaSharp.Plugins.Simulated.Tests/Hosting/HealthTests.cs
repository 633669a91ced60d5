using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Plugins.Simulated.Tests.Hosting;

/// <summary>What the health checks say of each fault that can be injected, while the host runs and everything is used.</summary>
public sealed class HealthTests
{
    private const string Memory = "numa_memory Degraded";
    private const string Topology = "numa_topology Degraded";

    public static TheoryData<SimulatedOperation, SimulatedError> Faults =>
    [
        .. from operation in Enum.GetValues<SimulatedOperation>()
           from error in Enum.GetValues<SimulatedError>()
           select new TheoryDataRow<SimulatedOperation, SimulatedError>(operation, error),
    ];

    [Theory]
    [MemberData(nameof(Faults))]
    public async Task Check_Fault_DegradesWhatItConcerns(SimulatedOperation operation, SimulatedError error)
    {
        string[] expected = operation switch
        {
            SimulatedOperation.Bind or SimulatedOperation.Release or SimulatedOperation.Reserve or SimulatedOperation.Commit =>
                [Memory],
            SimulatedOperation.Read or SimulatedOperation.SetThreadCpus => [Topology],

            // What is not needed is not missing.
            _ => [],
        };
        using var machine = new SimulatedMachine(SimulatedMachines.TwoSockets());
        using var host = SimulatedHost.Create(numa => numa.UsePlatform(machine.Platform));
        await host.StartAsync(TestContext.Current.CancellationToken);
        machine.Inject(new SimulatedFault(operation, error));
        await UseAsync(host, machine, isMemoryRefused: operation is SimulatedOperation.Reserve or SimulatedOperation.Commit);
        var entries = await EntriesAsync(host, expected.Length);

        Assert.Equal(expected, entries.Select(static entry => $"{entry.Key} {entry.Value.Status}"));
        Assert.All(
            entries, entry => Assert.Contains(error.ToString(), entry.Value.Description, StringComparison.Ordinal));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    private static async Task UseAsync(IHost host, SimulatedMachine machine, bool isMemoryRefused)
    {
        // Of this host alone: others run beside it.
        var meters = host.Services.GetRequiredService<IMeterFactory>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, source) =>
        {
            if (instrument.Meter.Scope == meters)
            {
                source.EnableMeasurementEvents(instrument);
            }
        };
        listener.Start();
        listener.RecordObservableInstruments();
        foreach (var node in host.Services.GetRequiredService<NumaPlan>().Nodes)
        {
            // Larger than a slab: reserved, bound and committed for this rent, and released after it.
            var pool = host.Services.GetRequiredKeyedService<NumaMemoryPool>(node.NodeId);
            var failure = Record.Exception(() => pool.RentBlock(8 << 20).Dispose());
            Assert.Equal(isMemoryRefused, failure is not null);

            // A size that the pool has nothing of yet.
            failure = Record.Exception(() => pool.RentBlock(512 << 10).Dispose());
            Assert.Equal(isMemoryRefused, failure is not null);
        }

        // The host reads the machine again, and threads re-pin.
        machine.Change(static options => options.OfflineCpus = CpuSet.FromIds(1));
        await host.Services.GetRequiredService<NumaTaskScheduler>().RunOnNode(0, static () => { });
    }

    // Checks of the machine, and re-pinning, happen on their own.
    private static async Task<KeyValuePair<string, HealthReportEntry>[]> EntriesAsync(IHost host, int count)
    {
        KeyValuePair<string, HealthReportEntry>[] entries = [];
        await Wait.UntilAsync(async () =>
        {
            var report = await host.Services.GetRequiredService<HealthCheckService>()
                .CheckHealthAsync(TestContext.Current.CancellationToken);
            entries = [.. report.Entries.Where(static entry => entry.Value.Status != HealthStatus.Healthy)];
            return entries.Length >= count;
        });
        return entries;
    }
}
