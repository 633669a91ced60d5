using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Machine;
using NumaSharp.Plugins.Simulated.Memory;
using NumaSharp.Plugins.Simulated.Providers;
using NumaSharp.Plugins.Simulated.Recording;

namespace NumaSharp.Plugins.Simulated;

/// <summary>
/// A declared machine: a topology, memory with pages on simulated nodes, and simulated pinning of threads. Memory is real, so
/// that pools, schedulers and servers work on it; nodes, CPUs and capacities are not. Thread-safe.
/// </summary>
public sealed class SimulatedMachine : IDisposable
{
    /// <summary>The name of its three providers.</summary>
    public const string ProviderName = "Simulated";

    private readonly Lock _lock = new();
    private readonly FaultSet _faults = new();
    private readonly CallRecorder _calls;
    private readonly NodeLedger _ledger;
    private readonly SimulatedAffinityProvider _affinity;
    private readonly SimulatedMemoryProvider _memory;
    private Action? _watches;
    private volatile MachineState _state;

    /// <summary>Creates a machine.</summary>
    /// <param name="options">Its declaration, such as one of <see cref="SimulatedMachines"/>.</param>
    /// <exception cref="NumaException">The declaration contradicts itself.</exception>
    public SimulatedMachine(SimulatedMachineOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        _state = MachineState.From(options.Clone());
        _calls = new CallRecorder(options.CallCapacity);
        foreach (var fault in options.Faults)
        {
            _faults.Add(fault);
        }

        var memory = NumaPlatform.Default.Memory;
        _ledger = new NodeLedger((long)memory.PageSize);
        _affinity = new SimulatedAffinityProvider(this, _faults, _calls);
        _memory = new SimulatedMemoryProvider(this, memory, _ledger, _affinity, _faults, _calls);
        Platform = new NumaPlatform(
            new SimulatedTopologyProvider(this, _ledger, _faults, _calls), _memory, _affinity);
    }

    /// <summary>The machine's three providers.</summary>
    public NumaPlatform Platform { get; }

    /// <summary>The last calls to its providers, oldest first. A snapshot.</summary>
    public IReadOnlyList<SimulatedCall> Calls => _calls.Calls;

    /// <summary>The address space reserved and not yet released, in bytes: 0 when everything was released.</summary>
    public long ReservedBytes => _memory.ReservedBytes;

    internal MachineState State => _state;

    /// <summary>How often an operation was called, including calls no longer kept.</summary>
    /// <param name="operation">The operation.</param>
    /// <returns>The number of calls.</returns>
    public long GetCallCount(SimulatedOperation operation) => _calls.CountOf(operation);

    /// <summary>Deletes all calls and their counts.</summary>
    public void ClearCalls() => _calls.Clear();

    /// <summary>Makes an operation fail from now on.</summary>
    /// <param name="fault">The operation, its error, and when it fails.</param>
    public void Inject(SimulatedFault fault)
    {
        ArgumentNullException.ThrowIfNull(fault);
        ArgumentOutOfRangeException.ThrowIfNegative(fault.After, nameof(fault));
        ArgumentOutOfRangeException.ThrowIfNegative(fault.Times, nameof(fault));
        _faults.Add(fault);
    }

    /// <summary>Removes all faults.</summary>
    public void ClearFaults() => _faults.Clear();

    /// <summary>The used memory of a node in bytes.</summary>
    /// <param name="nodeId">The kernel id.</param>
    /// <returns>The bytes.</returns>
    public long GetUsedBytes(NumaNodeId nodeId) => _ledger.UsedBytesOf(nodeId);

    /// <summary>
    /// Changes the machine at run time: unplugs CPUs, shrinks the cpuset, takes memory away. Watchers are called on this thread.
    /// Taken pages stay where they are.
    /// </summary>
    /// <param name="change">
    /// Changes a copy of the options. <see cref="SimulatedMachineOptions.Faults"/> and the call capacity have no effect here.
    /// </param>
    /// <exception cref="NumaException">The result contradicts itself; the machine is unchanged.</exception>
    public void Change(Action<SimulatedMachineOptions> change)
    {
        ArgumentNullException.ThrowIfNull(change);
        Action? watches;
        lock (_lock)
        {
            var options = _state.Options.Clone();
            change(options);
            _state = MachineState.From(options.Clone());
            watches = _watches;
        }

        watches?.Invoke();
    }

    /// <summary>Ends the machine; its providers must no longer be in use.</summary>
    public void Dispose() => _affinity.Dispose();

    internal IDisposable AddWatch(Action changed)
    {
        // A new delegate per watch, so that one callback can watch twice and stop watching once.
        var watch = new Action(() => changed());
        lock (_lock)
        {
            _watches += watch;
        }

        return new Watch(this, watch);
    }

    private void Remove(Action watch)
    {
        lock (_lock)
        {
            _watches -= watch;
        }
    }

    private sealed class Watch(SimulatedMachine machine, Action watch) : IDisposable
    {
        public void Dispose() => machine.Remove(watch);
    }
}
