using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory.Model;

/// <summary>
/// An allocator and what is known to be true of it: does a step to both and compares. Any number of threads may do steps at
/// the same time; what is compared between rounds is exact.
/// </summary>
internal sealed unsafe partial class AllocatorModel
{
    private const int Chunk = 1024 * 1024;

    private readonly ModelSetup _setup;
    private readonly FaultyMemoryProvider _memory = new();
    private readonly FaultyMemoryProvider _own = new();
    private readonly ThreadOnNode _threads = new();
    private readonly ManualTime _time = new();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly NumaAllocator _allocator;
    private readonly ModelBlocks _blocks = new();
    private readonly ModelRefusals _commits = new(FaultyMemoryProvider.NoMemory);
    private readonly ModelRefusals _ownCommits = new(FaultyMemoryProvider.NoMemory);
    private readonly ModelRefusals _binds = new(FaultyMemoryProvider.NotPermitted);
    private readonly ThreadLocal<HashSet<int>> _seenNodes = new(static () => [0]);
    private readonly Lock _planLock = new();
    private NumaPlan _plan;
    private int _marks;

    public AllocatorModel(ModelSetup setup)
    {
        _setup = setup;
        _plan = setup.CreatePlan();
        _allocator = new NumaAllocator(_plan, new NumaAllocatorOptions
        {
            Memory = _memory,
            OwnMemory = _own,
            Affinity = _threads,
            Fallbacks = _fallbacks,
            Checks = setup.Checks,
            TraceEvery = 0,
            ZeroOnFree = setup is { Checks: NumaMemoryCheckMode.Hardened, Nodes: 3 },
            LimitPerNode = setup.Limit,
            AddressSpacePerNode = 1L << 30,
            TrimAfter = TimeSpan.FromSeconds(1),
            KeepPerNode = 2 * Chunk,
            Time = _time,
        });
        _memory.OnCommit = _commits.Meet;
        _own.OnCommit = _ownCommits.Meet;
        _memory.OnBind = _binds.Meet;
    }

    /// <summary>Does a step on the calling thread.</summary>
    public void Do(ModelStep step)
    {
        var (_, _, pick, size, node) = step;
        switch (step.Action)
        {
            case ModelAction.AllocateMany:
                Repeat(1 + (pick * 1024 / (1024 + size)), () => TryAllocate(step with { Action = ModelAction.Allocate }));
                break;
            case <= ModelAction.ReallocateNull:
                TryAllocate(step);
                break;
            case ModelAction.Reallocate:
                Reallocate(pick, size);
                break;
            case ModelAction.Free or ModelAction.FreeForNode:
                Free(pick, step.Action == ModelAction.Free ? null : _allocator.ForNode(new(node)));
                break;
            case ModelAction.FreeNull:
                _allocator.Free(null);
                break;
            case ModelAction.FreeMany:
                Repeat(pick, () => Free(size, null));
                break;
            case ModelAction.LoopOnHeap:
                LoopOnHeap(pick / 8, size);
                break;
            default:
                DoOther(step);
                break;
        }
    }

    private void DoOther(ModelStep step)
    {
        switch (step.Action)
        {
            case ModelAction.Query:
                Query(step.Pick);
                break;
            case ModelAction.FreeWrongly:
                FreeWrongly(step.Pick);
                break;
            case ModelAction.MoveThread:
                MoveThread(step.Node % _setup.Nodes);
                break;
            case ModelAction.Trim:
                Trim();
                break;
            case ModelAction.LetTimePass:
                _time.Tick();
                break;
            case ModelAction.Apply:
                Apply(step.Node);
                break;
            case ModelAction.RefuseCommits:
                _commits.Add(step.Pick % 4);
                break;
            case ModelAction.RefuseOwnCommits:
                _ownCommits.Add(step.Pick % 16);
                break;
            case ModelAction.RefuseBinds:
                _binds.Add(step.Pick % 4);
                break;
            default:
                // The ends of threads and comparisons need all threads.
                break;
        }
    }

    private static void Repeat(int count, Action action)
    {
        for (var i = 0; i < count; i++)
        {
            action();
        }
    }

    private void MoveThread(int node)
    {
        _threads.NodeId = new(node);
        _seenNodes.Value!.Add(node);
    }

    // What is given back is what is then no longer committed. Other threads commit meanwhile, but nothing is given back that
    // was not committed before.
    private void Trim()
    {
        var committed = _allocator.CommittedBytes;
        var trimmed = _allocator.Trim();
        Assert.InRange(trimmed, 0, (long)_memory.CommittedBytes);
        Assert.True(
            !IsAlone || trimmed == committed - _allocator.CommittedBytes,
            $"{trimmed} bytes given back, {committed} before, {_allocator.CommittedBytes} after.");
    }

    // Some nodes lose their memory, or have it again; one keeps it.
    private void Apply(int seed)
    {
        lock (_planLock)
        {
            var machine = _setup.Machine;
            machine.AllowedNodes = CpuSet.FromIds(Enumerable.Range(0, _setup.Nodes)
                .Where(node => node == seed % _setup.Nodes || (node ^ seed) % 3 > 0));
            _plan = _plan.Adapt(machine.Read()).Plan;
            _allocator.Apply(_plan);
        }
    }
}
