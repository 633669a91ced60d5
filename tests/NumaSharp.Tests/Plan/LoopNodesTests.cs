using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>Nodes 0 and 1 with CPUs, 2 without and near 1.</summary>
public sealed class LoopNodesTests
{
    private const long Gibibyte = 1 << 30;

    private static NumaTopology Machine(params NumaNetworkDevice[] devices)
    {
        // Node 3 may not be used, and is in the distances alone: 17 from node 0, 18 from node 1.
        var options = new SimulatedMachineOptions
        {
            Nodes =
            {
                TestMachines.NodeOptions(0, "0-1", Gibibyte, 10, 20, 30, 17),
                TestMachines.NodeOptions(1, "2-3", Gibibyte, 20, 10, 15, 18),
                TestMachines.NodeOptions(2, "", Gibibyte, 30, 15, 10, 19),
                TestMachines.NodeOptions(3, "", Gibibyte),
            },
            AllowedNodes = CpuSet.Range(0, 3),
        };
        Array.ForEach(devices, options.NetworkDevices.Add);
        return options.Read();
    }

    [Theory]
    [InlineData("eth0", 0, "2 0 0", "is attached to node 0: loops run there.")]
    [InlineData("eth0", 2, "0 2 0", "which has no CPU in the plan: loops run on the nearest, node 1.")]
    [InlineData("AUTO", 1, "0 2 0", "is attached to node 1: loops run there.")]
    [InlineData("eth0", null, "2 2 0", "The node of network interface eth0 is unknown")]
    [InlineData("auto", null, "2 2 0", "The node of every network interface is unknown")]
    public void Loops_NetworkDevice_RunNearIt(string name, int? node, string loops, string note)
    {
        var device = new NumaNetworkDevice("eth0", node is { } id ? new NumaNodeId(id) : null);
        var plan = NumaPlan.Create(Machine(device), new NumaPlanRequest { NetworkDevice = name });

        Assert.Equal(loops, string.Join(' ', plan.Nodes.Select(static plan => plan.Loops)));
        Assert.Equal([2, 2, 0], plan.Nodes.Select(static plan => plan.Threads));
        Assert.Contains(plan.Notes, line => line.Contains(note, StringComparison.Ordinal));
        Assert.Contains($"loops near {name}", plan.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void Loops_DeviceOnANodeThatThisProcessMayNotUse_RunOnTheOneNearestToIt()
    {
        var plan = NumaPlan.Create(
            Machine(new NumaNetworkDevice("eth0", new(3))), new NumaPlanRequest { NetworkDevice = "eth0" });

        Assert.Equal([2, 0, 0], plan.Nodes.Select(static node => node.Loops));
    }

    [Fact]
    public void Loops_AutoWithDevicesOnSeveralNodes_RunOnAllOfThese()
    {
        var plan = NumaPlan.Create(
            Machine(
                new NumaNetworkDevice("eth0", new(0)),
                new NumaNetworkDevice("eth1", new(1)),
                new NumaNetworkDevice("eth2", null)),
            new NumaPlanRequest { NetworkDevice = NumaPlanRequest.AutoNetworkDevice });

        Assert.Equal([2, 2, 0], plan.Nodes.Select(static node => node.Loops));
    }

    [Fact]
    public void TryCreate_UnknownDevice_ListsTheKnownOnes()
    {
        var topology = Machine(new NumaNetworkDevice("eth1", new(0)), new NumaNetworkDevice("eth0", new(0)));

        Assert.Equal(
            "NetworkDevice = 'Eth0': is not a network interface with hardware behind it; known are eth0, eth1.",
            Assert.Single(PlanProblems.Of(topology, new NumaPlanRequest { NetworkDevice = "Eth0" })).ToString());
    }
}
