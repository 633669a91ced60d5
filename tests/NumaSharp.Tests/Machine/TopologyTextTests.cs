using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>The comparison of topologies leaves nothing out.</summary>
public sealed class TopologyTextTests
{
    private const string Node = "sys/devices/system/node/node1";

    [Theory]
    [InlineData(typeof(NumaTopology))]
    [InlineData(typeof(NumaNode))]
    [InlineData(typeof(NumaMemoryAccess))]
    [InlineData(typeof(NumaHugePages))]
    [InlineData(typeof(NumaCore))]
    [InlineData(typeof(NumaCache))]
    [InlineData(typeof(NumaNetworkDevice))]
    public void Of_MachineOfEveryKindOfFact_HasEachProperty(Type type)
    {
        using var folder = TemporaryFolder.InMemory();
        MachineLayout.Write(MachineFactsTests.SmallFacts, folder.Path);

        var text = TopologyText.Of(folder.Path);

        Assert.All(
            TopologyText.PropertiesOf(type), property => Assert.Contains($".{property.Name}: ", text, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData($"{Node}/distance", "17 11")]
    [InlineData($"{Node}/meminfo", "Node 1 MemTotal: 2097152 kB\nNode 1 MemFree: 1 kB")]
    [InlineData(
        $"{Node}/numastat",
        "numa_hit 1\nnuma_miss 2\nnuma_foreign 3\ninterleave_hit 4\nlocal_node 5\nother_node 6")]
    [InlineData($"{Node}/hugepages/hugepages-2048kB/free_hugepages", "2")]
    [InlineData($"{Node}/access0/initiators/read_latency", "301")]
    [InlineData("sys/devices/virtual/memory_tiering/memory_tier22/nodelist", "0")]
    [InlineData("sys/devices/system/cpu/cpu3/topology/core_id", "7")]
    [InlineData("sys/devices/system/cpu/cpu2/cache/index1/size", "512K")]
    [InlineData("sys/devices/system/cpu/isolated", "3")]
    [InlineData("sys/devices/pci0000:00/0000:01:00.0/numa_node", "0")]
    [InlineData("sys/fs/cgroup/job/memory.max", "4096")]
    public void AssertSame_OneFileDiffers_Fails(string file, string text)
    {
        using var folder = TemporaryFolder.InMemory();
        using var other = TemporaryFolder.InMemory();
        MachineLayout.Write(MachineFactsTests.SmallFacts, folder.Path);
        MachineLayout.Write(MachineFactsTests.SmallFacts, other.Path);
        TopologyText.AssertSame(folder.Path, other.Path);

        File.WriteAllText(other.PathOf(file), $"{text}\n");

        Assert.ThrowsAny<Xunit.Sdk.XunitException>(() => TopologyText.AssertSame(folder.Path, other.Path));
    }
}
