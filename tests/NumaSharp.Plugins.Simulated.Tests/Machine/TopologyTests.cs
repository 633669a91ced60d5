using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Tests.Support;

namespace NumaSharp.Plugins.Simulated.Tests.Topology;

public sealed class TopologyTests
{
    public static TheoryData<string> Presets => [.. SimulatedMachines.ByName.Keys];

    [Theory]
    [MemberData(nameof(Presets))]
    public void Preset_IsAMachineThatCanBePlanned(string name)
    {
        using var machine = new SimulatedMachine(SimulatedMachines.ByName[name]());
        var plan = NumaPlan.Create(machine.Platform.Topology.Read());
        Assert.NotEmpty(plan.Nodes);
        Assert.All(plan.Nodes, static node => Assert.NotEmpty(node.Cpus));
    }

    [Fact]
    public void Read_TwoSockets_HasEverythingThatIsDeclared()
    {
        using var machine = new SimulatedMachine(SimulatedMachines.TwoSockets());
        var topology = machine.Platform.Topology.Read();
        Assert.Equal("Simulated", topology.Source);
        Assert.Equal(["0-3,8-11", "4-7,12-15"], topology.Nodes.Select(static node => node.Cpus.ToString()));
        Assert.Equal(21, topology.GetDistance(new(0), new(1)));
        Assert.Equal("0,8", topology.FindCore(8)!.Cpus.ToString());
        Assert.Equal((1, "4-7,12-15"), (topology.FindCore(5)!.PackageId, topology.FindLastLevelCache(5)!.Cpus.ToString()));
        Assert.Equal(
            [("eth0", 0), ("eth1", 1)], topology.NetworkDevices.Select(static nic => (nic.Name, nic.NodeId!.Value.Value)));
    }

    [Fact]
    public void Read_KindsOfNodes_FollowFromWhatTheyHave()
    {
        var options = Machines.Small(8, 0, 8, 8);
        options.Nodes[2].Cpus = CpuSet.Empty;
        (options.Nodes[3].IsDevice, options.Nodes[3].Cpus) = (true, CpuSet.Empty);
        options.Nodes[2].MemoryTier = 22;
        options.Nodes[2].HugePages = [new NumaHugePages(2 << 20, 8, 3)];
        using var machine = new SimulatedMachine(options);
        var nodes = machine.Platform.Topology.Read().Nodes;
        Assert.Equal(
            [NumaNodeKind.Normal, NumaNodeKind.Cpu, NumaNodeKind.Memory, NumaNodeKind.Device],
            nodes.Select(static node => node.Kind));
        Assert.Equal((22, 3), (nodes[2].MemoryTier, nodes[2].HugePages[0].Free));
    }

    [Fact]
    public void Read_CpusetAndOfflineCpus_NarrowTheMachine()
    {
        var options = SimulatedMachines.Nps4();
        options.OfflineCpus = CpuSet.ParseList("1");
        options.AllowedCpus = CpuSet.ParseList("0-5");
        options.AllowedNodes = CpuSet.ParseList("0-2");
        using var machine = new SimulatedMachine(options);
        var topology = machine.Platform.Topology.Read();
        Assert.Equal("0,2-5", topology.AllowedCpus.ToString());
        Assert.Equal("0,2-3", topology.Nodes[0].OnlineCpus.ToString());
        Assert.Equal("4-7", topology.Nodes[1].OnlineCpus.ToString());
        Assert.Equal([0, 1, 2], topology.Nodes.Select(static node => node.NodeId));
        Assert.Null(topology.FindCore(1));
    }

    [Fact]
    public void Change_NotifiesWatchers()
    {
        using var machine = new SimulatedMachine(SimulatedMachines.TwoSockets());
        var notified = 0;
        void Changed() => notified++;
        using (machine.Platform.Topology.Watch(Changed))
        using (machine.Platform.Topology.Watch(Changed))
        {
            machine.Change(static options => options.OfflineCpus = CpuSet.ParseList("4-7,12-15"));
        }

        machine.Change(static options => options.IsolatedCpus = CpuSet.FromIds(3));
        Assert.Equal(2, notified);
        var topology = machine.Platform.Topology.Read();
        Assert.Equal("0-3,8-11", topology.AllowedCpus.ToString());
        Assert.Equal("3", topology.IsolatedCpus.ToString());
        Assert.True(topology.FindNode(new(1))!.Cpus.IsEmpty);
    }

    [Fact]
    public void Change_ToWhatCannotBe_LeavesTheMachineAsItWas()
    {
        using var machine = new SimulatedMachine(SimulatedMachines.TwoSockets());
        var notified = 0;
        using var watch = machine.Platform.Topology.Watch(() => notified++);
        Assert.Throws<NumaException>(() => machine.Change(static options => options.OfflineCpus = CpuSet.Range(0, 16)));
        Assert.Equal(0, notified);
        Assert.Equal(16, machine.Platform.Topology.Read().AllowedCpus.Count);
    }

    [Fact]
    public void Create_OptionsChangedLater_DoNotMatter()
    {
        var options = SimulatedMachines.TwoSockets();
        using var machine = new SimulatedMachine(options);
        options.Nodes[0].MemoryBytes = 1;
        options.Nodes.RemoveAt(1);
        Assert.Equal(2, machine.Platform.Topology.Read().NodeCount);
        Assert.Equal(16L << 30, machine.Platform.Topology.Read().Nodes[0].MemoryBytes);
    }

    [Fact]
    public void Create_WhatContradictsItself_TellsAll()
    {
        var options = Machines.Small(8, -1);
        options.ThreadsPerCore = 2;
        options.Nodes[0].Distances = [10];
        options.Faults.Add(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM) { After = -1 });
        var message = Assert.Throws<NumaException>(() => new SimulatedMachine(options)).Message;
        Assert.All(
            [
                $"Node 1 has -{Machines.Page} bytes", "Node 0 has 1 distances; there are 2", "2 threads per core",
                "After and Times",
            ],
            part => Assert.Contains(part, message, StringComparison.Ordinal));
    }

    [Fact]
    public void Create_WithoutNodesOrMemoryOrWithSharedCpus_IsRefused()
    {
        Assert.Throws<NumaException>(static () => new SimulatedMachine(new SimulatedMachineOptions()));
        Assert.Throws<NumaException>(static () => new SimulatedMachine(Machines.Small(0, 0)));
        var options = Machines.Small(8, 8);
        options.Nodes[1].Cpus = CpuSet.FromIds(0);
        Assert.Contains(
            "CPUs 0 are on node 1",
            Assert.Throws<NumaException>(() => new SimulatedMachine(options)).Message,
            StringComparison.Ordinal);
    }
}
