using NumaSharp.Core;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Listening;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

public sealed class SteeringTableTests
{
    [Fact]
    public void LoopOf_ALoopPerCpu_IsTheCpusOwn()
    {
        var table = Table(["0-3", "4-7"]);

        Assert.Equal(Enumerable.Range(0, 8), Enumerable.Range(0, 8).Select(table.LoopOf));
        Assert.True(table.IsComplete);
    }

    [Fact]
    public void LoopOf_NodesThatTakeTurns_IsOnTheCpusNode()
    {
        var table = Table(["0,2,4", "1,3,5"]);

        Assert.Equal([0, 3, 1, 4, 2, 5], Enumerable.Range(0, 6).Select(table.LoopOf));
    }

    [Fact]
    public void LoopOf_FewerLoopsThanCpus_SharesThemOut()
    {
        var table = Table(["0-3", "4-7"], new NumaPlanRequest { LoopsPerNode = 2 });

        Assert.Equal([0, 1, 0, 1, 2, 3, 2, 3], Enumerable.Range(0, 8).Select(table.LoopOf));
    }

    // As on an EPYC: the second threads of the cores are numbered after all first ones.
    [Theory]
    [InlineData(NumaAffinityGranularity.Node)]
    [InlineData(NumaAffinityGranularity.Cache)]
    [InlineData(NumaAffinityGranularity.Core)]
    [InlineData(NumaAffinityGranularity.Cpu)]
    public void LoopOf_CachesOfSeveralCores_EachLoopHasACpuNearIt(NumaAffinityGranularity granularity)
    {
        var machine = TestMachines.Of((0, CpuSet.ParseList("0-31")));
        machine.ThreadsPerCore = 2;
        machine.LastLevelCaches.Add(CpuSet.ParseList("0-7,16-23"));
        machine.LastLevelCaches.Add(CpuSet.ParseList("8-15,24-31"));
        var plan = machine.Plan(new NumaPlanRequest { Granularity = granularity });
        var table = new SteeringTable(plan);

        int[] loops = [.. Enumerable.Range(0, 32).Select(table.LoopOf)];
        Assert.Equal(Enumerable.Range(0, 32), loops.Order());
        Assert.All(loops.Index(), one => Assert.Contains(one.Index, plan.Nodes[0].LoopCpus[one.Item]));
    }

    [Fact]
    public void LoopOf_SecondThreadOutsideThePlan_IsTheLoopOfItsCore()
    {
        var machine = TestMachines.Of((0, CpuSet.ParseList("0-15")));
        machine.ThreadsPerCore = 2;
        var table = new SteeringTable(machine.Plan(
            new NumaPlanRequest { Granularity = NumaAffinityGranularity.Core, AvoidSmtSiblings = true }));

        Assert.Equal([0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7], Enumerable.Range(0, 16).Select(table.LoopOf));
    }

    [Fact]
    public void LoopOf_CpuOutsideThePlanBetweenOthers_LeavesNoLoopWithoutACpu()
    {
        var machine = TestMachines.Of((0, CpuSet.ParseList("0-3")));
        machine.ThreadsPerCore = 2;
        var table = new SteeringTable(machine.Plan(new NumaPlanRequest
        {
            Granularity = NumaAffinityGranularity.Core,
            ReservedCpus = CpuSet.FromIds(1),
        }));

        Assert.Equal([0, 1, 2], CpuSet.ParseList("0,2-3").Select(table.LoopOf).Order());
    }

    [Fact]
    public void LoopOf_CpuOutsideThePlan_IsOnItsNode()
    {
        var table = Table(["0-3", "4-7"], new NumaPlanRequest { ReservedCpus = CpuSet.ParseList("0,4") });

        Assert.Equal([0, 1, 2], Enumerable.Range(1, 3).Select(table.LoopOf).Order());
        Assert.InRange(table.LoopOf(0), 0, 2);
        Assert.InRange(table.LoopOf(4), 3, 5);
        Assert.True(table.IsComplete);
    }

    [Fact]
    public void LoopOf_CpuOfANodeOutsideThePlan_IsUnassigned()
    {
        var table = Table(["0-1", "2-3"], new NumaPlanRequest { Nodes = CpuSet.FromIds(1) });

        Assert.Equal(
            [SteeringTable.NoLoop, SteeringTable.NoLoop, 0, 1, SteeringTable.NoLoop],
            Enumerable.Range(0, 5).Select(table.LoopOf));
        Assert.False(table.IsComplete);
    }

    [Theory]
    [InlineData(0, "0-3", "4-7")]
    [InlineData(1, "0-3", "4-7")]
    [InlineData(0, "0-7,16-23", "8-15,24-31")]
    [InlineData(3, "0,2,4,6", "1,3,5,7")]
    [InlineData(0, "5,9,100-131", "700")]
    public void ToProgram_RunForEachCpu_AnswersWhatTheTableSays(int loopsPerNode, params string[] nodes)
    {
        var table = Table(nodes, new NumaPlanRequest { LoopsPerNode = loopsPerNode });
        var program = table.ToProgram();

        Assert.All(Enumerable.Range(0, 1000), cpu => Assert.Equal(table.LoopOf(cpu), Run(program, cpu)));
    }

    [Fact]
    public void ToProgram_ALoopPerCpuOfALargeMachine_IsShort()
    {
        var table = Table(["0-255", "256-511"]);

        Assert.InRange(table.ToProgram().Length, 1, 10);
    }

    private static SteeringTable Table(string[] nodes, NumaPlanRequest? request = null) =>
        new(TestMachines.Of([.. nodes.Select(static (cpus, id) => (id, CpuSet.ParseList(cpus)))]).Plan(request));

    // What the kernel does with the few instructions that are used.
    private static int Run(SocketFilter[] program, int cpu)
    {
        uint value = 0;
        for (var next = 0; ; next++)
        {
            var it = program[next];
            switch (it.Code)
            {
                case SocketFilter.LoadWord when it.Operand == SocketFilter.CpuOffset:
                    value = (uint)cpu;
                    break;
                case SocketFilter.JumpIfGreater:
                    next += value > it.Operand ? it.IfTrue : it.IfFalse;
                    break;
                case SocketFilter.Add:
                    value += it.Operand;
                    break;
                case SocketFilter.ReturnOperand:
                    return unchecked((int)it.Operand);
                case SocketFilter.ReturnValue:
                    return unchecked((int)value);
                default:
                    throw new InvalidOperationException($"Instruction {next} is {it}.");
            }
        }
    }
}
