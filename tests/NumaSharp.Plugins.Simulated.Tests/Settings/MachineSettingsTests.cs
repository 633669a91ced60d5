using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Settings;

namespace NumaSharp.Plugins.Simulated.Tests.Settings;

public sealed class MachineSettingsTests
{
    [Fact]
    public void Read_EveryKey_IsTaken()
    {
        var options = Read(
            ("OfflineCpus", "1"), ("AllowedCpus", "0-6"), ("AllowedNodes", "0-1"), ("IsolatedCpus", "2"), ("ThreadsPerCore", "2"),
            ("Cores:0", "0,1"), ("Cores:1", "2-3"), ("LastLevelCaches:0", "0-3"), ("LastLevelCacheSize", "8MiB"),
            ("CallCapacity", "7"),
            ("Nodes:0:Cpus", "0-3"), ("Nodes:0:Memory", "4GiB"), ("Nodes:0:Distances", "10, 17"), ("Nodes:0:Tier", "4"),
            ("Nodes:0:ReadLatency", "90"), ("Nodes:0:WriteLatency", "91"), ("Nodes:0:ReadBandwidth", "1000"),
            ("Nodes:0:WriteBandwidth", "1001"), ("Nodes:0:HugePages:0:Size", "1GiB"), ("Nodes:0:HugePages:0:Total", "5"),
            ("Nodes:0:HugePages:0:Free", "4"),
            ("Nodes:1:Id", "7"), ("Nodes:1:Memory", "65536"), ("Nodes:1:Device", "true"),
            ("NetworkDevices:0:Name", "eth0"), ("NetworkDevices:0:Node", "7"),
            ("Faults:0:Operation", "bind"), ("Faults:0:Error", "eperm"), ("Faults:0:Node", "7"), ("Faults:0:After", "1"),
            ("Faults:0:Times", "2"));
        Assert.Equal(
            ("1", "0-6", "0-1", "2", 2, 8L << 20, 7),
            ($"{options.OfflineCpus}", $"{options.AllowedCpus}", $"{options.AllowedNodes}", $"{options.IsolatedCpus}",
                options.ThreadsPerCore, options.LastLevelCacheBytes, options.CallCapacity));
        Assert.Equal(["0-1", "2-3"], options.Cores.Select(static core => core.ToString()));
        Assert.Equal(["0-3"], options.LastLevelCaches.Select(static cache => cache.ToString()));
        var (first, second) = (options.Nodes[0], options.Nodes[1]);
        Assert.Equal((0, "0-3", 4L << 30, 4), (first.NodeId.Value, $"{first.Cpus}", first.MemoryBytes, first.MemoryTier));
        Assert.Equal([10, 17], first.Distances);
        Assert.Equal(
            new NumaMemoryAccess(0, CpuSet.FromIds(0))
            {
                ReadLatency = 90,
                WriteLatency = 91,
                ReadBandwidth = 1000,
                WriteBandwidth = 1001,
            },
            Assert.Single(first.Access));
        Assert.Equal(new NumaHugePages(1L << 30, 5, 4), Assert.Single(first.HugePages));
        Assert.Equal((7, true, 65536, true), (second.NodeId.Value, second.Cpus.IsEmpty, second.MemoryBytes, second.IsDevice));
        Assert.Equal(new NumaNetworkDevice("eth0", new(7)), Assert.Single(options.NetworkDevices));
        Assert.Equal(
            new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM) { NodeId = new(7), After = 1, Times = 2 },
            Assert.Single(options.Faults));
    }

    [Theory]
    [InlineData("Preset", "Big", "must be one of TwoSockets, Nps4, Cxl, Gpu")]
    [InlineData("Nodes:0:Cpus", "0-x", "must be a kernel list such as '0-3,8'")]
    [InlineData("Nodes:0:Memory", "4GB", "must be a size such as '2MiB', '16GiB' or a number of bytes")]
    [InlineData("Nodes:0:Memory", "99999999999TiB", "must be a size such as '2MiB', '16GiB' or a number of bytes")]
    [InlineData("Nodes:0:Distances", "10 21", "must be integers such as '10,21'")]
    [InlineData("Nodes:0:Device", "maybe", "must be true or false")]
    [InlineData("ThreadsPerCore", "0", "must be an integer from 1 to 8")]
    [InlineData("CallCapacity", "-1", "must be an integer from 0 to 1048576")]
    public void Read_BadValue_NamesKeyValueAndWhatIsAllowed(string key, string value, string reason) => Assert.Equal(
        new NumaSettingProblem($"Simulated:{key}", value, reason), Assert.Single(ProblemsOf((key, value))));

    [Fact]
    public void Read_SeveralMistakes_AreReportedAtOnce() => Assert.Equal(
        ["Simulated:Faults:0:Error", "Simulated:Faults:0:Operation", "Simulated:Node:0:Cpus", "Simulated:Nodes:0:Cpu"],
        ProblemsOf(("Faults:0:Operation", "Crash"), ("Nodes:0:Cpu", "0"), ("Node:0:Cpus", "0"))
            .Select(static problem => problem.Key).Order(StringComparer.Ordinal));

    [Fact]
    public void Read_PresetAndNodes_Contradict() => Assert.Equal(
        "must not be set where Nodes are: a preset has its own",
        Assert.Single(ProblemsOf(("Preset", "Cxl"), ("Nodes:0:Cpus", "0"))).Reason);

    [Fact]
    public void Read_ItemsByNumber_AreInTheirOrder() => Assert.Equal(
        ["0", "1", "2"],
        Read(("Nodes:10:Cpus", "2"), ("Nodes:2:Cpus", "1"), ("Nodes:0:Cpus", "0")).Nodes.Select(static node => $"{node.Cpus}"));

    [Fact]
    public void CreateMachine_WithoutDeclaration_IsTwoSockets()
    {
        using var machine = MachineSetup.CreateMachine(null, []);
        Assert.Equal(2, machine.Platform.Topology.Read().NodeCount);
    }

    [Fact]
    public void CreateMachine_Code_ChangesWhatConfigurationDeclares()
    {
        var settings = new NumaPluginSettings("Simulated", [new("Preset", "Nps4")]);
        using var machine = MachineSetup.CreateMachine(settings, [new MachineSetup(static o => o.Nodes[0].MemoryBytes = 8192)]);
        Assert.Equal([8192, 16L << 30], machine.Platform.Topology.Read().Nodes.Take(2).Select(static node => node.MemoryBytes));
    }

    [Fact]
    public void CreateMachine_DeclarationThatCannotBe_IsASettingsProblem()
    {
        var settings = new NumaPluginSettings(
            "Simulated", [new("Nodes:0:Cpus", "0-1"), new("Nodes:1:Cpus", "1-2"), new("Nodes:0:Memory", "1GiB")]);
        var problem = Assert.Single(
            Assert.Throws<NumaSettingException>(() => MachineSetup.CreateMachine(settings, [])).Problems);
        Assert.Equal(("Simulated", "0-1; 1-2"), (problem.Key, problem.Value));
        Assert.Equal("CPUs 1 are on node 1 and on another node", problem.Reason);
    }

    private static SimulatedMachineOptions Read(params (string Key, string Value)[] values) =>
        MachineSettings.Read(new NumaPluginSettings(
            "Simulated", values.Select(static pair => KeyValuePair.Create(pair.Key, pair.Value))));

    private static IReadOnlyList<NumaSettingProblem> ProblemsOf(params (string Key, string Value)[] values) =>
        Assert.Throws<NumaSettingException>(() => Read(values)).Problems;
}
