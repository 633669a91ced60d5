using System.Globalization;
using System.Text.Json;
using NumaSharp.Tests.Core.Topology;

namespace NumaSharp.Tool.Tests.Topology;

/// <summary>The command's answer for 26 real machines against hwloc's, from their files and from a snapshot of these.</summary>
public sealed class HwlocTests
{
    // A fabricated size: the data's README asks to compare ids only.
    private const string FabricatedSize = "2i386-2t-hugepagesizecount";

    public static TheoryData<string> Machines { get; } = [.. HwlocArchives.ExpectedNames().DefaultIfEmpty("none")];

    [Theory]
    [MemberData(nameof(Machines))]
    public async Task Topology_RealMachine_AgreesWithHwlocAlsoAsSnapshot(string machine)
    {
        var expected = HwlocArchives.Expected(machine);
        using var folder = new TemporaryFolder();
        var root = HwlocArchives.Extract(expected.GetProperty("archive").GetString()!, folder.Path);

        var answer = await ReadTopology(root);

        Assert.Equal(expected.GetProperty("cpus").GetString(), answer.GetProperty("allowedCpus").GetString());
        Assert.Equal(Ids(expected), Ids(answer));
        if (machine != FabricatedSize && expected.TryGetProperty("memoryBytes", out var sizes))
        {
            AssertMemory(sizes, answer);
        }

        var snapshot = Path.Join(folder.Path, "snapshot.tar.gz");
        Assert.Equal(ExitCodes.Success, (await ToolRun.Of("snapshot", "--root", root, "--output", snapshot)).ExitCode);
        SnapshotAssert.SameTopology(answer, await ReadTopology(snapshot));
    }

    private static IEnumerable<int> Ids(JsonElement element) =>
        element.GetProperty("memoryNodes").EnumerateArray().Select(static id => id.GetInt32());

    private static void AssertMemory(JsonElement sizes, JsonElement answer)
    {
        var found = answer.GetProperty("nodes").EnumerateArray().ToDictionary(
            static node => node.GetProperty("id").GetInt32().ToString(CultureInfo.InvariantCulture),
            static node => node.GetProperty("memoryBytes").GetInt64());
        foreach (var size in sizes.EnumerateObject())
        {
            Assert.Equal(size.Value.GetInt64(), found[size.Name]);
        }
    }

    private static async Task<JsonElement> ReadTopology(string root)
    {
        var run = await ToolRun.Of("topology", "--root", root, "--format", "json");
        Assert.True(run.ExitCode == ExitCodes.Success, run.Error);
        return run.Json;
    }
}
