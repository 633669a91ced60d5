using NumaSharp.Core;
using NumaSharp.Core.Memory;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>The place of a single pool: what its options say, and what the machine adds.</summary>
public sealed class MemoryPlaceTests
{
    // Nodes 0 and 2 with a CPU each.
    private static readonly NumaPlan s_plan = NumaPlan.Create(TestMachines.WithIds(0, 2).Read());

    private static CpuSet? FirstTouchCpusOf(NumaMemoryPoolOptions options) =>
        MemoryPlace.Of(options, static () => s_plan).FirstTouchCpus;

    [Fact]
    public void Of_Advisory_MemoryIsTouchedOnTheNodeThatItComesFrom()
    {
        Assert.Equal(s_plan.FindNode(new(2))!.Cpus, FirstTouchCpusOf(new() { NodeId = new(2) }));
        Assert.Equal(
            s_plan.FindNode(new(0))!.Cpus, FirstTouchCpusOf(new() { NodeId = new(2), MemoryNodeId = new NumaNodeId(0) }));
    }

    [Fact]
    public void Of_AdvisoryOnANodeThatTheMachineLacks_AnyThreadMayTouchIt() =>
        Assert.Null(FirstTouchCpusOf(new() { NodeId = new(1) }));

    [Fact]
    public void Of_OptionsThatSayItAll_TheMachineIsNotRead()
    {
        var cpus = CpuSet.FromIds(7);
        NumaMemoryPoolOptions[] options =
        [
            new() { FirstTouchCpus = cpus },
            new() { BindMode = NumaBindMode.None },
            new() { BindMode = NumaBindMode.Strict },
            new() { Memory = new FaultyMemoryProvider() },
        ];
        Assert.Equal(
            [cpus, null, null, null],
            options.Select(static each =>
                MemoryPlace.Of(each, static () => throw new InvalidOperationException("read")).FirstTouchCpus));
    }
}
