namespace NumaSharp.Tests.Core.Topology;

/// <summary>
/// The facts of the real machines against the trees that they were found in: what is laid out from the facts reads as the
/// tree does, and hwloc's answers are those that came with the tree.
/// </summary>
[Trait("tier", "deep")]
public sealed class RawTreeTests
{
    public static TheoryData<string> Trees { get; } = [.. RawTrees.Names];

    // A tree without facts, or facts without a tree, would not be compared.
    [Fact]
    public void Names_OfTheTrees_AreThoseOfTheMachines()
    {
        RawTrees.SkipUnlessThere();
        Assert.Equal(RealMachines.Names, RawTrees.Names.Order(StringComparer.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Trees))]
    public async Task Tree_OfARealMachine_ReadsAsWhatIsLaidOutAndHasTheSameFacts(string machine)
    {
        using var folder = TemporaryFolder.InMemory();
        using var laidOut = TemporaryFolder.InMemory();
        var raw = await RawTrees.ExtractAsync(machine, folder.Path);
        var facts = RealMachines.Facts(machine);
        MachineLayout.Write(facts, laidOut.Path);

        TopologyText.AssertSame(raw, laidOut.Path);

        var captured = MachineFactsCapture.Capture(machine, raw) with
        {
            About = facts.About,
            Answers = RawTrees.AnswersFor(machine),
        };
        Assert.Equal(MachineFactsWriter.Write(facts), MachineFactsWriter.Write(captured));

        // Each CPU's own file is read only where there is no list: mutated trees have none.
        File.Delete(Path.Join(raw, "sys/devices/system/cpu/online"));
        File.Delete(laidOut.PathOf("sys/devices/system/cpu/online"));
        TopologyText.AssertSame(raw, laidOut.Path);
    }

    // What is laid out is ours, and hwloc could only agree with what we wrote.
    [Theory]
    [MemberData(nameof(Trees))]
    public async Task Tree_OfARealMachine_AgreesWithLstopo(string machine)
    {
        using var folder = TemporaryFolder.InMemory();
        await LstopoOracle.AssertAgreesAsync(await RawTrees.ExtractAsync(machine, folder.Path));
    }
}
