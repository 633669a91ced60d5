using NumaSharp.Core;

namespace NumaSharp.Hosting.Tests.Support;

/// <summary>
/// A machine with memory from the heap, of two nodes unless a test wants more: every bind and pin is recorded and answered as a
/// test wants.
/// </summary>
internal sealed class FakePlatform : INumaTopologyProvider, INumaMemoryProvider, INumaAffinityProvider
{
    private readonly SingleNodeMemoryProvider _memory = new();
    private readonly Lock _lock = new();
    private readonly List<NumaPlacement> _binds = [];
    private readonly List<CpuSet> _pins = [];

    public FakePlatform(string name = "Fake") => Name = name;

    public string Name { get; }

    public nuint PageSize { get; init; } = (nuint)Environment.SystemPageSize;

    /// <summary>How many nodes it has, with two CPUs each.</summary>
    public int NodeCount { get; init; } = 2;

    /// <summary>Where all threads run.</summary>
    public int CurrentNodeId { get; set; }

    public NumaResult BindAnswer { get; set; } = NumaResult.Success;

    public NumaResult PinAnswer { get; set; } = NumaResult.Success;

    public NumaException? ReadFailure { get; set; }

    /// <summary>The CPUs of the machine that the process may use, for one that changes.</summary>
    public CpuSet AllowedCpus { get; set; } = CpuSet.Range(0, 4);

    public IReadOnlyList<string> Warnings { get; set; } = [];

    public long MemoryLimitBytes { get; init; }

    public long MemoryFreeBytes { get; set; } = 1L << 30;

    public int Reads { get; private set; }

    /// <summary>The answer for each node; without one this provider has no statistics.</summary>
    public Func<int, NumaNodeStatistics?>? Statistics { get; set; }

    public IReadOnlyList<NumaPlacement> Binds
    {
        get
        {
            lock (_lock)
            {
                return [.. _binds];
            }
        }
    }

    public IReadOnlyList<CpuSet> Pins
    {
        get
        {
            lock (_lock)
            {
                return [.. _pins];
            }
        }
    }

    public static NumaResult Refused => new(NumaFailure.NotPermitted, 1, "EPERM");

    public NumaTopology Read()
    {
        Reads++;
        return ReadFailure is null
            ? new NumaTopology(Name, [.. Enumerable.Range(0, NodeCount).Select(Node)], Warnings)
            {
                MemoryLimitBytes = MemoryLimitBytes,
            }
            : throw ReadFailure;
    }

    public NumaNodeStatistics? ReadStatistics(int nodeId) => Statistics?.Invoke(nodeId);

    public NumaResult Reserve(nuint size, nuint alignment, out nint address) => _memory.Reserve(size, alignment, out address);

    public NumaResult Commit(nint address, nuint size) => _memory.Commit(address, size);

    public NumaResult Bind(nint address, nuint size, NumaPlacement placement)
    {
        lock (_lock)
        {
            _binds.Add(placement);
        }

        return BindAnswer;
    }

    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) => NumaResult.Success;

    public NumaResult Release(nint address, nuint size) => _memory.Release(address, size);

    public NumaResult QueryNode(nint address, out int nodeId) => _memory.QueryNode(address, out nodeId);

    public NumaResult GetThreadCpus(out CpuSet cpus)
    {
        cpus = CpuSet.ParseList("0-3");
        return NumaResult.Success;
    }

    public NumaResult SetThreadCpus(CpuSet cpus)
    {
        lock (_lock)
        {
            _pins.Add(cpus);
        }

        return PinAnswer;
    }

    public NumaResult GetCurrent(out int cpu, out int nodeId)
    {
        cpu = 2 * CurrentNodeId;
        nodeId = CurrentNodeId;
        return NumaResult.Success;
    }

    private NumaNode Node(int id) => new()
    {
        NodeId = id,
        Cpus = CpuSet.Range(2 * id, 2).Intersect(AllowedCpus),
        OnlineCpus = CpuSet.Range(2 * id, 2),
        MemoryBytes = 4L << 30,
        MemoryFreeBytes = MemoryFreeBytes,
        IsMemoryAllowed = true,
        Distances = Enumerable.Range(0, NodeCount).ToDictionary(static other => other, other => other == id ? 10 : 21),
    };
}
