using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Hosting.Tests.Support;

/// <summary>Hosts whose only configuration is what a test gives.</summary>
internal static class NumaHost
{
    public static HostApplicationBuilder CreateBuilder(params (string Key, string? Value)[] settings)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Configuration.AddInMemoryCollection(settings.Select(static setting =>
            KeyValuePair.Create("Numa:" + setting.Key, setting.Value)));
        builder.ConfigureContainer(new DefaultServiceProviderFactory(
            new ServiceProviderOptions { ValidateOnBuild = true, ValidateScopes = true }));
        return builder;
    }

    /// <summary>A host on two nodes with two CPUs each.</summary>
    public static IHost Create(params (string Key, string? Value)[] settings) => Create(TwoNodes(), settings);

    /// <summary>A host on a simulated machine, which the settings may still overrule.</summary>
    public static IHost Create(SimulatedMachine machine, params (string Key, string? Value)[] settings)
    {
        var builder = CreateBuilder([("Topology:Provider", SimulatedMachine.ProviderName), .. settings]);
        builder.AddNuma(numa => numa.AddMachine(machine));
        return builder.Build();
    }

    /// <summary>Two nodes with two CPUs and 1 GiB each.</summary>
    public static SimulatedMachine TwoNodes(params SimulatedFault[] faults)
    {
        var machine = new SimulatedMachine(TestMachines.Row(2, 2));
        Array.ForEach(faults, machine.Inject);
        return machine;
    }

    public static INumaBuilder AddMachine(this INumaBuilder builder, SimulatedMachine machine)
    {
        builder.Services.AddSingleton(machine);
        return builder.AddSimulated();
    }

    /// <summary>The machine with another provider of its topology, one that a test has made.</summary>
    public static NumaPlatform PlatformWith(this SimulatedMachine machine, INumaTopologyProvider topology) =>
        new(topology, machine.Platform.Memory, machine.Platform.Affinity);

    /// <summary>What was pinned, in order.</summary>
    public static IReadOnlyList<CpuSet> Pins(this SimulatedMachine machine) =>
        [.. machine.CallsOf(SimulatedOperation.SetThreadCpus).Select(static call => call.Cpus)];

    public static IEnumerable<SimulatedCall> CallsOf(this SimulatedMachine machine, SimulatedOperation operation) =>
        machine.Calls.Where(call => call.Operation == operation);

    public static RecordingLog RecordLogs(this IHostApplicationBuilder builder)
    {
        var recorder = new RecordingLog(from: LogLevel.Trace);
        builder.Logging.AddProvider(recorder);
        return recorder;
    }
}
