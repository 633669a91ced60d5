using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>Memory and devices of the real machines, by their facts.</summary>
public sealed class RealMachineDetailTests(RealMachines machines)
{
    [Theory]
    [InlineData("32em64t-2n8c+dax+nvme+mic+dimms", "eth0:0 eth1:0 ib0:1")] // br0, eth0.1015, lo and mic0 have no device.
    [InlineData("40intel64-2g2n4c+pcilocality", "eth0: eth1: eth2: eth3: ib0:2")] // -1: this firmware does not know.
    [InlineData("fakepcilocalities", "eth0:0 eth1:0 eth2:0 eth3:0 ib0:1")]
    [InlineData("2pa-pcidomain32bits", "ens3:")] // virtio: the -1 is that of the PCI function above it.
    [InlineData("2arm-2c", "")]
    public void Read_RealMachine_HasItsNetworkDevices(string machine, string expected) => Assert.Equal(
        expected,
        string.Join(' ', machines.Read(machine).NetworkDevices.Select(static device => $"{device.Name}:{device.NodeId}")));

    [Theory]
    [InlineData("2i386-2t-hugepagesizecount", "2M:1/0 16384M:1/0")] // No nodes: the machine's pools are node 0's.
    [InlineData("2i386-2c-nohugepage", "")]
    [InlineData("128arm-2pa2n8cluster4co", "0M:0/0 2M:0/0 32M:0/0 1024M:0/0")] // 64 KiB, 2 MiB, 32 MiB, 1 GiB.
    [InlineData("32amd64-4s2n4c-cgroup2", "2M:65/65")] // Without nodeN/hugepages: meminfo has those of the default size.
    public void Read_RealMachine_HasItsHugePages(string machine, string expected) => Assert.Equal(
        expected,
        string.Join(' ', machines.Read(machine).Nodes[0].HugePages.Select(static pool =>
            $"{pool.PageBytes >> 20}M:{pool.Total}/{pool.Free}")));

    [Theory]
    [InlineData("offline-cpu0-node0", "4-20")] // CPU 0 is offline, and says so itself.
    [InlineData("16amd64-8n2c-cpusets", "0-3,5-15")] // CPU 4 is offline.
    [InlineData("2i386-2c-nohugepage", "0-1")] // It never had a list.
    public void Read_RealMachineWithoutTheListOfOnlineCpus_HasTheCpusThatSayThatTheyAre(string machine, string expected)
    {
        using var folder = TemporaryFolder.InMemory();
        // Its cgroup must not hide which CPUs are online.
        MachineLayout.Write(RealMachines.Facts(machine) with { Process = new() }, folder.Path);
        File.Delete(folder.PathOf("sys/devices/system/cpu/online"));

        Assert.Equal(expected, RealMachines.ProviderOf(folder.Path).Read().AllowedCpus.ToString());
    }

    [Fact]
    public void Read_HeterogeneousMemory_HasFirmwaresFigures()
    {
        var topology = machines.Read("fakeheteromemtiers");

        // Bandwidth 100 is NVM, 1000 DRAM, 10000 HBM, in hwloc's words; the latencies are 0: unknown.
        Assert.Equal(
            ["0:1000 of 0", "1:1000 of 1", "2:10000 of 2", "4:10000 of 1", "6:100 of 1", "8:100 of 0", "9:100 of 2"],
            topology.Nodes.Select(static node => (node.NodeId, Access: Assert.Single(node.Access)))
                .Select(static node => $"{node.NodeId}:{node.Access.ReadBandwidth} of {node.Access.InitiatorNodes}"));
        Assert.All(topology.Nodes, static node => Assert.Equal(1, node.Access[0].AccessClass));
        Assert.All(topology.Nodes, static node => Assert.Null(node.Access[0].ReadLatency));
        Assert.Equal("4,6,8-9", CpuSet.FromIds(topology.Nodes.Where(static node => node.Kind == NumaNodeKind.Memory)
            .Select(static node => node.NodeId)).ToString());
    }

    [Fact]
    public void ReadStatistics_NodeOfPower9_AreItsCounters()
    {
        var provider = RealMachines.ProviderOf(machines.Find("nvidiagpunumanodes"));

        var node = provider.ReadStatistics(new(0))!;

        Assert.Equal(machines.Read("nvidiagpunumanodes").FindNode(new(0))!.MemoryBytes, node.MemoryBytes);
        Assert.Equal(node.Hit + node.Miss, node.Local + node.Other);
        Assert.Null(provider.ReadStatistics(new(1)));
        Assert.NotNull(provider.ReadStatistics(new(255)));
    }
}
