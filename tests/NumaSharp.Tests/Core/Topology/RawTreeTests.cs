namespace NumaSharp.Tests.Core.Topology;

/// <summary>
/// The facts of the real machines against the trees that they were found in: what is laid out from the facts reads as the
/// tree does.
/// </summary>
[Trait("tier", "deep")]
public sealed class RawTreeTests(RealMachines machines)
{
    [Fact]
    public void Machines_ComparedWithTheTrees_AreAllOfThem() =>
        Assert.Subset(RealMachines.Names.ToHashSet(StringComparer.Ordinal), RawTrees.Names().ToHashSet(StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(RealMachineTests.Machines), MemberType = typeof(RealMachineTests))]
    public async Task Tree_OfARealMachine_ReadsAsWhatIsLaidOutAndHasTheSameFacts(string machine)
    {
        using var folder = new TemporaryFolder();
        var raw = await RawTrees.ExtractAsync(machine, folder.Path);
        var facts = RealMachines.Facts(machine);

        TopologyText.AssertSame(raw, machines.Find(machine));

        var captured = MachineFactsCapture.Capture(machine, raw) with { About = facts.About, Answers = facts.Answers };
        Assert.Equal(MachineFactsWriter.Write(facts), MachineFactsWriter.Write(captured));
    }
}
