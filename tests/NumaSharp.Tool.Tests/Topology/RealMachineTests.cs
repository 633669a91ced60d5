using System.Globalization;
using System.Text.Json;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;

[assembly: AssemblyFixture(typeof(RealMachines))]

namespace NumaSharp.Tool.Tests.Topology;

/// <summary>The command's answer for the real machines against hwloc's, from their files and from a snapshot of these.</summary>
public sealed class RealMachineTests(RealMachines machines)
{
    public static TheoryData<string> Machines { get; } = [.. RealMachines.Names];

    public static TheoryData<string> Trees { get; } = [.. RawTrees.Names];

    [Theory]
    [MemberData(nameof(Machines))]
    public Task Topology_RealMachine_AgreesWithHwloc(string machine) =>
        AssertAgreesWithHwlocAsync(RealMachines.Facts(machine).Answers!, machines.Find(machine));

    [Theory]
    [Trait("tier", "deep")]
    [MemberData(nameof(Machines))]
    public async Task Topology_SnapshotOfARealMachine_IsTheSame(string machine) =>
        await AssertSnapshotIsTheSameAsync(machines.Find(machine), await ReadTopology(machines.Find(machine)));

    // The kernel's own files have what those that are laid out from facts have not: links, other files, odd white space.
    [Theory]
    [Trait("tier", "deep")]
    [MemberData(nameof(Trees))]
    public async Task Topology_TreeOfARealMachine_AgreesWithHwlocAlsoAsSnapshot(string machine)
    {
        var answers = RawTrees.AnswersFor(machine);
        using var folder = new TemporaryFolder();
        var root = await RawTrees.ExtractAsync(machine, folder.Path);
        await AssertSnapshotIsTheSameAsync(root, await AssertAgreesWithHwlocAsync(answers, root));
    }

    private static async Task<JsonElement> AssertAgreesWithHwlocAsync(MachineAnswers expected, string root)
    {
        var answer = await ReadTopology(root);

        Assert.Equal(expected.Cpus.ToString(), answer.GetProperty("allowedCpus").GetString());
        Assert.Equal(
            expected.MemoryNodes,
            CpuSet.FromIds(answer.GetProperty("memoryNodes").EnumerateArray().Select(static id => id.GetInt32())));
        AssertMemory(expected, answer);
        return answer;
    }

    private static async Task AssertSnapshotIsTheSameAsync(string root, JsonElement answer)
    {
        using var folder = new TemporaryFolder();
        var snapshot = folder.PathOf("snapshot.tar.gz");
        Assert.Equal(ExitCodes.Success, (await ToolRun.Of("snapshot", "--root", root, "--output", snapshot)).ExitCode);
        SnapshotAssert.SameTopology(answer, await ReadTopology(snapshot));
    }

    // What hwloc rounds is compared where the topology itself is.
    private static void AssertMemory(MachineAnswers expected, JsonElement answer)
    {
        var found = answer.GetProperty("nodes").EnumerateArray().ToDictionary(
            static node => node.GetProperty("id").GetInt32(), static node => node.GetProperty("memoryBytes").GetInt64());
        foreach (var (node, memory) in expected.Memory.Where(static node => node.Memory.All(char.IsAsciiDigit)))
        {
            Assert.Equal(long.Parse(memory, CultureInfo.InvariantCulture), found[node]);
        }
    }

    private static async Task<JsonElement> ReadTopology(string root)
    {
        var run = await ToolRun.Of("topology", "--root", root, "--format", "json");
        Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
        return run.Json;
    }
}
