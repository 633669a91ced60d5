using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>
/// Frees of another node's blocks against frees of the own node's, by the same thread. Two nodes are declared, the first CPU
/// and the others; nothing is bound, so it is the allocator's work that is compared and not the memory's distance.
/// </summary>
internal static unsafe class RemoteFree
{
    private const int Blocks = 4096;
    private const int CpusNeeded = 2;

    private static readonly Lazy<NumaPlan> s_plan = new(TwoNodes);

    public static Contest Create(WorkerTeams teams, int size)
    {
        var allocator = new Lazy<NumaAllocator>(static () => new NumaAllocator(s_plan.Value));
        return new([
            new PeerRow(
                $"remote free {BlockSize.Label(size)} vs local",
                Side("remote free", otherNode: true),
                Side("local free", otherNode: false),
                MemoryTargets.RemoteFree),
        ])
        {
            Unavailable = BenchmarkCpus.AllowedCpus(Environment.ProcessId).Count >= CpusNeeded ? null : "two nodes need two CPUs",
        };

        Contestant Side(string name, bool otherNode) => new(() => name, () => new TimedLoad(operations =>
        {
            var nanoseconds = 0L;
            teams.Of(1).Run(_ => nanoseconds = Free(allocator.Value, (nuint)size, otherNode, operations));
            return nanoseconds;
        }))
        {
            Step = Blocks,
        };
    }

    private static NumaPlan TwoNodes()
    {
        var allowed = BenchmarkCpus.AllowedCpus(Environment.ProcessId);
        var first = CpuSet.FromIds(allowed.First);
        return NumaPlan.Create(
            new NumaTopology("Benchmark", [Node(0, first), Node(1, allowed.Except(first))]),
            new NumaPlanRequest { BindMode = NumaBindMode.None });

        static NumaNode Node(int id, CpuSet cpus) => new()
        {
            Id = new(id),
            Cpus = cpus,
            OnlineCpus = cpus,
            MemoryBytes = 1L << 34,
            IsMemoryAllowed = true,
        };
    }

    // Allocating is not in the time.
    private static long Free(NumaAllocator allocator, nuint size, bool otherNode, int operations)
    {
        var plan = s_plan.Value;
        var own = plan.IndexOfCpu(Thread.GetCurrentProcessorId());
        var node = plan.Nodes[otherNode ? 1 - own : own].NodeId;
        var pointers = stackalloc void*[Blocks];
        var nanoseconds = 0L;
        for (var done = 0; done < operations; done += Blocks)
        {
            for (var i = 0; i < Blocks; i++)
            {
                pointers[i] = allocator.Allocate(size, node);
            }

            var start = ThreadCpuClock.ReadNanoseconds();
            for (var i = 0; i < Blocks; i++)
            {
                allocator.Free(pointers[i]);
            }

            nanoseconds += ThreadCpuClock.ReadNanoseconds() - start;
        }

        return nanoseconds;
    }
}
