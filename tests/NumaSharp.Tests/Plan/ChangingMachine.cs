using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>
/// A provider that reads <see cref="TestMachines.ReadAllowed"/>, as a test says. Not a SimulatedMachine: it counts its reads, and
/// throws from them and from its watches what a plugin may throw.
/// </summary>
internal sealed class ChangingMachine : INumaTopologyProvider
{
    private volatile NumaTopology _topology;
    private volatile Action? _changed;
    private int _reads;

    public ChangingMachine(string cpus, string memoryNodes) => _topology = TestMachines.ReadAllowed(cpus, memoryNodes);

    public string Name => "Changing";

    public Exception? Failure { get; set; }

    public Exception? WatchFailure { get; set; }

    public Exception? UnwatchFailure { get; set; }

    public string? Signature { get; set; }

    public int Reads => Volatile.Read(ref _reads);

    public bool IsWatched => _changed is not null;

    /// <summary>Changes the machine, and notifies watchers.</summary>
    public void Become(string cpus, string memoryNodes)
    {
        _topology = TestMachines.ReadAllowed(cpus, memoryNodes);
        _changed?.Invoke();
    }

    public NumaTopology Read()
    {
        Interlocked.Increment(ref _reads);
        return Failure is null ? _topology : throw Failure;
    }

    public string? ReadSignature() => Signature;

    public IDisposable? Watch(Action changed)
    {
        if (WatchFailure is not null)
        {
            throw WatchFailure;
        }

        _changed = changed;
        return new Watcher(this);
    }

    private sealed class Watcher(ChangingMachine machine) : IDisposable
    {
        public void Dispose()
        {
            machine._changed = null;
            if (machine.UnwatchFailure is not null)
            {
                throw machine.UnwatchFailure;
            }
        }
    }
}
