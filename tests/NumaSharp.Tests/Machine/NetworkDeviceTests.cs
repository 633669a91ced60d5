using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

public sealed class NetworkDeviceTests
{
    private static string Describe(NumaTopology topology) =>
        string.Join(' ', topology.NetworkDevices.Select(static device => $"{device.Name}:{device.NodeId}"));

    [Fact]
    public void Read_DevicesOfAllKinds_AreListedWithTheirNode()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Links need privileges on Windows.");
        using var tree = MachineTree.TwoNodes();
        tree.NetworkDevice("eth1", "1").NetworkDevice("eth0", "0").NetworkDevice("eth2", "-1").NetworkDevice("usb0", null)
            .NetworkDevice("ens3", "1", isVirtio: true)
            .Write("sys/class/net/lo/mtu", "65536\n")
            .Write("sys/class/net/bonding_masters", "bond0\n");
        var topology = tree.Read();
        Assert.Equal("ens3:1 eth0:0 eth1:1 eth2: usb0:", Describe(topology));
        Assert.Empty(topology.Warnings);
    }

    [Theory]
    [InlineData("2")]
    [InlineData("1024")]
    [InlineData("-2")]
    [InlineData("99999999999")]
    [InlineData("")]
    [InlineData("\0\u0001")]
    public void Read_NodeThatTheMachineLacks_IsUnknownAndWarns(string node)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Links need privileges on Windows.");
        using var tree = MachineTree.TwoNodes();
        var topology = tree.NetworkDevice("eth0", node).Read();
        Assert.Equal("eth0:", Describe(topology));
        Assert.Contains("numa_node", Assert.Single(topology.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public void Read_NodeThatThisProcessMayNotUse_IsKept()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Links need privileges on Windows.");
        using var tree = MachineTree.TwoNodes();
        tree.NetworkDevice("eth0", "0")
            .Write(MachineTree.Status, "Cpus_allowed_list:\t4-7\nMems_allowed_list:\t1\n");
        Assert.Equal("eth0:0", Describe(tree.Read()));
    }

    [Fact]
    public void Read_NameThatWouldForgeALog_IsLeftOutAndWarns()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Such names are impossible on Windows.");
        using var tree = MachineTree.TwoNodes();
        Directory.CreateDirectory(tree.PathOf("sys/class/net/e\u001b[2J\n/device"));
        var topology = tree.Read();
        Assert.Equal("", Describe(topology));
        Assert.DoesNotContain(Assert.Single(topology.Warnings), char.IsControl);
    }
}
