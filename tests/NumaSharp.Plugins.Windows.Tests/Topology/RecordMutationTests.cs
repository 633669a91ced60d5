using FsCheck;
using FsCheck.Fluent;
using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Tests.Support;

namespace NumaSharp.Plugins.Windows.Tests.Topology;

/// <summary>Whatever the records say, the answer is a topology that holds together, or a NumaException.</summary>
public sealed class RecordMutationTests
{
    private static readonly Func<FakeMachine>[] s_machines =
        [Machines.Desktop, Machines.Hybrid, Machines.TwoGroups, Machines.WideNode, Machines.MemoryOnly];

    [Fact]
    public void Read_MutatedRecords_HoldsTogetherOrThrowsNumaException()
    {
        var (read, refused) = (0, 0);
        var mutations =
            from machine in Gen.Choose(0, s_machines.Length - 1)
            from edits in Gen.Choose(0, int.MaxValue).Two().NonEmptyListOf()
            from cut in Gen.Frequency((4, Gen.Constant(0)), (1, Gen.Choose(1, 200)))
            select (machine, edits, cut);
        Prop.ForAll(
                mutations.ToArbitrary(),
                mutation =>
                {
                    var machine = s_machines[mutation.machine]();
                    foreach (var (place, value) in mutation.edits)
                    {
                        Edit(machine.Records, place, value);
                    }

                    machine.Records = machine.Records[..^Math.Min(mutation.cut, machine.Records.Length)];
                    try
                    {
                        Check(new WindowsTopologyProvider(machine).Read());
                        read++;
                    }
                    catch (NumaException)
                    {
                        refused++;
                    }
                })
            .Check(Config.QuickThrowOnFailure.WithMaxTest(5000).WithQuietOnSuccess(true));
        Assert.True(read > 100 && refused > 100, $"{read} were read and {refused} refused: one side is not tested.");
    }

    // Most edits are of single bits in masks, counts and sizes; some make a byte what bounds are tried with.
    private static void Edit(byte[] records, int place, int value)
    {
        var index = place % records.Length;
        records[index] = (value % 4) switch
        {
            0 => 0,
            1 => 0xFF,
            _ => (byte)(records[index] ^ (1 << (value / 4 % 8))),
        };
    }

    private static void Check(NumaTopology topology)
    {
        Assert.False(topology.AllowedCpus.IsEmpty);
        Assert.True(topology.Warnings.Count <= 33);
        Assert.All(topology.Nodes, static node => Assert.True(node.Cpus.IsSubsetOf(node.OnlineCpus)));
        var online = topology.Nodes.Aggregate(CpuSet.Empty, static (all, node) => all.Union(node.OnlineCpus));
        Assert.Equal(topology.Nodes.Sum(static node => node.OnlineCpus.Count), online.Count);
        Assert.All(topology.Cores, core => Assert.True(core.Cpus.IsSubsetOf(online)));
        Assert.All(topology.LastLevelCaches, cache => Assert.True(cache.Cpus.IsSubsetOf(online)));
    }
}
