using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>
/// Nodes of four CPUs each in a row, of which a test says what is there; and the provider that reads it. Affinity is recorded
/// per managed thread.
/// </summary>
internal sealed class ChangingMachine : INumaTopologyProvider
{
    private const int CpusPerNode = 4;

    private volatile NumaTopology _topology;
    private volatile Action? _changed;
    private int _reads;

    public ChangingMachine(string cpus, string memoryNodes) => _topology = Read(cpus, memoryNodes);

    public string Name => "Changing";

    public Exception? Failure { get; set; }

    public Exception? WatchFailure { get; set; }

    public Exception? UnwatchFailure { get; set; }

    public string? Signature { get; set; }

    public int Reads => Volatile.Read(ref _reads);

    public bool IsWatched => _changed is not null;

    /// <summary>The machine with the given CPUs and memory nodes; a node that has nothing of them is not there.</summary>
    public static NumaTopology Read(string cpus, string memoryNodes, long freeBytes = 1 << 20)
    {
        var (allowed, memory) = (CpuSet.ParseList(cpus), CpuSet.ParseList(memoryNodes));
        var ids = allowed.Select(static cpu => cpu / CpusPerNode).Concat(memory).Distinct();
        return new NumaTopology("Changing", ids.Select(id => new NumaNode
        {
            NodeId = id,
            Cpus = CpuSet.Range(id * CpusPerNode, CpusPerNode).Intersect(allowed),
            OnlineCpus = CpuSet.Range(id * CpusPerNode, CpusPerNode),
            MemoryBytes = 1 << 30,
            MemoryFreeBytes = freeBytes,
            IsMemoryAllowed = memory.Contains(id),
            Distances = Enumerable.Range(0, 8).ToDictionary(static to => to, to => 10 + (10 * Math.Abs(to - id))),
        }));
    }

    /// <summary>Changes the machine, and tells who watches.</summary>
    public void Become(string cpus, string memoryNodes)
    {
        _topology = Read(cpus, memoryNodes);
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
