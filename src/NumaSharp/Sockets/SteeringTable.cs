using NumaSharp.Core;

namespace NumaSharp.Sockets;

/// <summary>
/// Maps each CPU to the loop that serves what it receives: one that may run on that CPU, otherwise one of its node. CPUs of
/// nodes without loops have none. Immutable.
/// </summary>
internal sealed class SteeringTable
{
    /// <summary>The CPU has no loop.</summary>
    public const int NoLoop = -1;

    private readonly int[] _loops;

    private SteeringTable(int[] loops, bool isComplete) => (_loops, IsComplete) = (loops, isComplete);

    public SteeringTable(NumaPlan plan)
    {
        var loopOfCpu = new SortedDictionary<int, int>();
        var first = 0;
        foreach (var node in plan.Nodes)
        {
            AddNode(plan, node, first, loopOfCpu);
            first += node.Loops;
        }

        _loops = new int[loopOfCpu.Keys.LastOrDefault(-1) + 1];
        Array.Fill(_loops, NoLoop);
        foreach (var (cpu, loop) in loopOfCpu)
        {
            _loops[cpu] = loop;
        }

        IsComplete = plan.Topology.Nodes.All(node => node.Cpus.Union(node.OnlineCpus).All(cpu => LoopOf(cpu) != NoLoop));
    }

    /// <summary>Whether every CPU that the machine is known to have has a loop.</summary>
    public bool IsComplete { get; }

    /// <summary>The number of the loop that serves what a CPU receives, or <see cref="NoLoop"/>.</summary>
    public int LoopOf(int cpu) => (uint)cpu < (uint)_loops.Length ? _loops[cpu] : NoLoop;

    /// <summary>The same CPUs with renumbered loops.</summary>
    public SteeringTable Renumber(Func<int, int> numberOf) =>
        new([.. _loops.Select(loop => loop == NoLoop ? NoLoop : numberOf(loop))], IsComplete);

    /// <summary>The table as a program for the sockets of all loops, in the order of the loops.</summary>
    public SocketFilter[] ToProgram()
    {
        var program = new List<SocketFilter> { new(SocketFilter.LoadWord, 0, 0, SocketFilter.CpuOffset) };
        for (var cpu = 0; cpu < _loops.Length;)
        {
            var first = cpu;
            var step = first + 1 < _loops.Length && IsNext(first, 1) ? 1 : 0;
            while (++cpu < _loops.Length && IsNext(cpu - 1, step))
            {
            }

            AddRun(program, first, last: cpu - 1, step);
        }

        program.Add(new(SocketFilter.ReturnOperand, 0, 0, unchecked((uint)NoLoop)));
        return [.. program];
    }

    private static void AddNode(NumaPlan plan, NumaNodePlan node, int first, SortedDictionary<int, int> loopOfCpu)
    {
        // Other CPUs of the machine's node, such as reserved ones, receive packets, too.
        var machine = plan.Topology.FindNode(node.NodeId);
        var cpus = machine is null ? node.Cpus : node.Cpus.Union(machine.Cpus).Union(machine.OnlineCpus);
        int[] all = [.. Enumerable.Range(0, node.Loops)];
        var next = new int[node.Loops];
        var nextOfAll = 0;
        foreach (var cpu in node.Loops > 0 ? cpus : CpuSet.Empty)
        {
            // CPUs with the same loops near them share these out, wherever the numbers of the CPUs are: those of a core's second
            // threads are often far behind.
            var near = Array.FindAll(all, loop => node.LoopCpus[loop].Contains(cpu));
            var loop = near.Length > 0 ? near[next[near[0]]++ % near.Length] : nextOfAll++ % node.Loops;

            // CPUs on which another node's threads are guests belong to their own node.
            if (machine?.Cpus.Contains(cpu) == true || machine?.OnlineCpus.Contains(cpu) == true)
            {
                loopOfCpu[cpu] = first + loop;
            }
            else
            {
                loopOfCpu.TryAdd(cpu, first + loop);
            }
        }
    }

    private bool IsNext(int cpu, int step) =>
        _loops[cpu + 1] == _loops[cpu] + step && (step == 0 || _loops[cpu] != NoLoop);

    // Runs are added in ascending order: a CPU above the run's last jumps over its answer; one below its first has been answered.
    private void AddRun(List<SocketFilter> program, int first, int last, int step)
    {
        program.Add(new(SocketFilter.JumpIfGreater, (byte)(1 + step), 0, (uint)last));
        if (step == 0)
        {
            program.Add(new(SocketFilter.ReturnOperand, 0, 0, unchecked((uint)_loops[first])));
        }
        else
        {
            program.Add(new(SocketFilter.Add, 0, 0, unchecked((uint)(_loops[first] - first))));
            program.Add(new(SocketFilter.ReturnValue, 0, 0, 0));
        }
    }
}
