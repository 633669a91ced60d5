using NumaSharp.Core;

namespace NumaSharp.Tool.Tests.Matrix;

/// <summary>
/// A machine with any nodes, on ordinary memory, that can refuse. Not a SimulatedMachine, whose pages are taken when they are
/// committed: the matrix binds its memory after that and before it touches it, which is as good on Linux.
/// </summary>
internal sealed class FakeMachine : INumaTopologyProvider, INumaMemoryProvider, INumaAffinityProvider
{
    private static readonly NumaResult s_refused = new(NumaFailure.NotPermitted, 1, "EPERM");

    private readonly SingleNodeMemoryProvider _memory = new();
    private readonly NumaNode[] _nodes;
    private int _boundTo = -1;

    public FakeMachine(params NumaNode[] nodes) => _nodes = nodes;

    public string Name => "Fake";

    public nuint PageSize => _memory.PageSize;

    public NumaPlatform Platform => new(this, this, this);

    public bool RefusesBinding { get; init; }

    public bool RefusesQueries { get; init; }

    /// <summary>CPUs that no thread may be pinned to.</summary>
    public CpuSet ForbiddenCpus { get; init; } = CpuSet.Empty;

    /// <summary>Where pages come from that are not bound.</summary>
    public int UnboundNode { get; init; }

    public int Reserved { get; private set; }

    public int Released { get; private set; }

    public NumaTopology Read() => new(Name, _nodes);

    public NumaResult Reserve(nuint size, nuint alignment, out nint address)
    {
        Reserved++;
        _boundTo = -1;
        return _memory.Reserve(size, alignment, out address);
    }

    public NumaResult Commit(nint address, nuint size) => _memory.Commit(address, size);

    public NumaResult Bind(nint address, nuint size, NumaPlacement placement)
    {
        ArgumentNullException.ThrowIfNull(placement);
        if (RefusesBinding)
        {
            return s_refused;
        }

        _boundTo = placement.Nodes.First;
        return NumaResult.Success;
    }

    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) => _memory.Advise(address, size, advice);

    public NumaResult Release(nint address, nuint size)
    {
        Released++;
        return _memory.Release(address, size);
    }

    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId)
    {
        nodeId = RefusesQueries ? null : new NumaNodeId(_boundTo < 0 ? UnboundNode : _boundTo);
        return RefusesQueries ? s_refused : NumaResult.Success;
    }

    public NumaResult GetThreadCpus(out CpuSet cpus)
    {
        cpus = Read().AllowedCpus;
        return NumaResult.Success;
    }

    public NumaResult SetThreadCpus(CpuSet cpus) => ForbiddenCpus.Overlaps(cpus) ? s_refused : NumaResult.Success;

    public NumaResult GetCurrent(out int cpu, out NumaNodeId nodeId)
    {
        (cpu, nodeId) = (0, default);
        return NumaResult.Success;
    }
}
