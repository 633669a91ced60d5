using System.Globalization;
using System.Text.Json;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>Our reading of 26 machines against hwloc's.</summary>
public sealed class HwlocTruthTests(HwlocTrees trees)
{
    // A fabricated size: the data's README asks to compare ids only.
    private const string FabricatedSize = "2i386-2t-hugepagesizecount";

    public static TheoryData<string> Machines { get; } =
    [
        "128arm-2pa2n8cluster4co",
        "16amd64-8n2c",
        "16amd64-8n2c-cpusets",
        "16em64t-4s2c2t",
        "16em64t-4s2ca2c-cpusetreorder",
        "20em64t-hybrid-1p6c2t+2ca4co1t",
        "256ia64-64n2s2c",
        "2arm-2c",
        "2i386-2c-nohugepage",
        "2i386-2t-hugepagesizecount",
        "2pa-pcidomain32bits",
        "2ps3-2t",
        "32amd64-4s2n4c-cgroup2",
        "32em64t-2n8c+dax+nvme+mic+dimms",
        "40intel64-2g2n4c+pcilocality",
        "48amd64-4pa2n6c-sparse",
        "64fake-4n2s2ca2c2t",
        "8em64t-2s2ca2c",
        "8em64t-2s4c-asymcaches",
        "8ia64-2n2s2c",
        "8ia64-2s2c2t",
        "fakecpuid1f-64intel64-2p4d2n2c2t",
        "fakeheteromemtiers",
        "fakepcilocalities",
        "nvidiagpunumanodes",
        "offline-cpu0-node0",
    ];

    [Fact]
    public void Machines_ComparedWithTheData_AreAllOfThem()
    {
        var names = HwlocArchives.ExpectedNames().Order(StringComparer.Ordinal).ToArray();
        Assert.SkipWhen(names.Length == 0, $"{HwlocArchives.Directory}/expected.json is not there.");
        Assert.Equal(names, Machines.Select(static row => row.Data).Order(StringComparer.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void Read_RealMachine_AgreesWithHwloc(string machine)
    {
        var expected = HwlocArchives.Expected(machine);

        var topology = trees.Read(machine);

        TestContext.Current.TestOutputHelper?.WriteLine(string.Join('\n', topology.Warnings));
        Assert.Equal(expected.GetProperty("cpus").GetString(), topology.AllowedCpus.ToString());
        Assert.Equal(
            expected.GetProperty("memoryNodes").EnumerateArray().Select(static id => id.GetInt32()), topology.MemoryNodes);
        AssertMemory(machine, expected, topology);
    }

    private static void AssertMemory(string machine, JsonElement expected, NumaTopology topology)
    {
        if (machine != FabricatedSize && expected.TryGetProperty("memoryBytes", out var exact))
        {
            foreach (var node in exact.EnumerateObject())
            {
                Assert.Equal(node.Value.GetInt64(), MemoryOf(topology, node.Name));
            }
        }

        if (expected.TryGetProperty("memoryRounded", out var rounded))
        {
            foreach (var node in rounded.EnumerateObject())
            {
                Assert.Equal(node.Value.GetString(), AsHwlocPrints(MemoryOf(topology, node.Name)));
            }
        }
    }

    private static long MemoryOf(NumaTopology topology, string nodeId) =>
        topology.FindNode(int.Parse(nodeId, CultureInfo.InvariantCulture))!.MemoryBytes;

    // Rounded to the nearest, in a unit that leaves at least two digits.
    private static string AsHwlocPrints(long bytes)
    {
        string[] units = ["KiB", "MiB", "GiB", "TiB"];
        var unit = 0;
        while (unit < units.Length - 1 && bytes >= 10L << (10 * (unit + 2)))
        {
            unit++;
        }

        return string.Create(CultureInfo.InvariantCulture, $"{((bytes >> ((10 * unit) + 9)) + 1) >> 1}{units[unit]}");
    }
}
