using NumaSharp.Browser.Tests;
using NumaSharp.Plugins.Simulated;

[assembly: AssemblyFixture(typeof(SharedMachines))]

namespace NumaSharp.Browser.Tests;

/// <summary>Machines for all tests that only look at them, each started by the first of these.</summary>
public sealed class SharedMachines : IAsyncDisposable
{
    private readonly Lazy<Task<Machine>> _plain = new(static () => Machine.StartAsync(SimulatedMachines.TwoSockets()));
    private readonly Lazy<Task<Machine>> _troubled = new(StartTroubledAsync);

    public async ValueTask DisposeAsync()
    {
        foreach (var machine in (Lazy<Task<Machine>>[])[_plain, _troubled])
        {
            if (machine.IsValueCreated)
            {
                await (await machine.Value).DisposeAsync();
            }
        }
    }

    /// <summary>Two sockets of which nothing is to be said.</summary>
    internal Task<Machine> PlainAsync() => _plain.Value;

    /// <summary>Everything that the page can show is on that of this one: a fallback, too.</summary>
    internal Task<Machine> TroubledAsync() => _troubled.Value;

    private static Task<Machine> StartTroubledAsync()
    {
        var options = SimulatedMachines.TwoSockets();
        options.Faults.Add(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM) { NodeId = new(1) });
        return Machine.StartAsync(options);
    }
}
