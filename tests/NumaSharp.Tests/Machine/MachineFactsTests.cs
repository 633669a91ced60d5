using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>The files of facts in tests/Machines: their form, their errors, and the way to make another.</summary>
public sealed class MachineFactsTests
{
    private const string Small = """
        about: as small as can be
        quirk: no-node-links

        [cpus]
        mask bits: 4
        online: 0-3
        hotpluggable: 1-3

        [cores]
        # package: number of the core=its CPUs
        package 0: 0=0-1 1=2-3

        [caches]
        # place in the CPU's list: level, type and size; the CPUs that share one
        0: L1 Data 32K; private to 0-3
        1: L2 Unified 1024K; shared by 0-1 2-3

        [nodes]
        online: 0-1
        0: cpus 0-3; memory 1048576 kB; free 524288 kB
        1: cpus none; memory 2097152 kB; free 2097152 kB

        [distances]
        # to the nodes in ascending order
        0: 10 17
        1: 17 10

        [memory access]
        # figures: read and write latency, read and write bandwidth
        node 1 class 0: initiators 0; figures 300 300 none 0

        [memory]
        machine: 3145728 kB; free 2621440 kB
        huge page: 2048 kB; 3 of 4 free

        [huge pages]
        machine, 2048 kB: 3 of 4 free
        nodes 0-1, 2048 kB: 1 of 2 free

        [network]
        ens3: PCI 0000:02:00.0; virtio; node -1
        eth0: PCI 0000:01:00.0; node 1
        lo: virtual

        [memory tiers]
        4: 0
        22: 1

        [process]
        # the process that looked: cgroups, and what their files say
        allowed cpus: 0-2
        hierarchy: cgroup2 at /sys/fs/cgroup
        in: v2 /job
        /sys/fs/cgroup/job: cpuset.cpus.effective 0-1; memory.max 1048576

        """;

    /// <summary>A machine that has something of everything.</summary>
    internal static MachineFacts SmallFacts => MachineFactsParser.Parse("small.machine", Small);

    private static string Lines(string text) => text.ReplaceLineEndings("\n");

    [Theory]
    [MemberData(nameof(RealMachineTests.Machines), MemberType = typeof(RealMachineTests))]
    public void Write_WhatWasRead_IsTheFile(string machine) => Assert.Equal(
        Lines(File.ReadAllText(Path.Join(RealMachines.Folder, $"{machine}.machine"))),
        MachineFactsWriter.Write(RealMachines.Facts(machine)));

    [Fact]
    public void Write_EveryKindOfFact_IsRead() =>
        Assert.Equal(Lines(Small), MachineFactsWriter.Write(SmallFacts));

    [Fact]
    public void Capture_MachineOfEveryKindOfFact_HasThem()
    {
        using var folder = TemporaryFolder.InMemory();
        var facts = SmallFacts;
        MachineLayout.Write(facts, folder.Path);

        var captured = MachineFactsCapture.Capture("small", folder.Path);

        // A kernel of today shows the lists that the facts leave to it.
        Assert.Equal(
            MachineFactsWriter.Write(facts with { PossibleCpus = CpuSet.ParseList("0-3") }),
            MachineFactsWriter.Write(captured with { About = facts.About }));
    }

    [Fact]
    public void Read_MachineOfEveryKindOfFact_HasThem()
    {
        using var folder = TemporaryFolder.InMemory();
        MachineLayout.Write(SmallFacts, folder.Path);

        var topology = RealMachines.ProviderOf(folder.Path).Read();

        Assert.Empty(topology.Warnings);
        Assert.Equal("0-1", topology.AllowedCpus.ToString());
        Assert.Equal(1048576, topology.MemoryLimitBytes);
        Assert.Equal([(4, 17), (22, 10)], topology.Nodes.Select(static node => (node.MemoryTier!.Value, node.Distances[new(1)])));
        Assert.Equal(300, Assert.Single(topology.Nodes[1].Access).ReadLatency);
        Assert.Equal(["ens3:", "eth0:1"], topology.NetworkDevices.Select(static device => $"{device.Name}:{device.NodeId}"));
    }

    [Theory]
    [InlineData("online: 0-3", "online: 0-", 6, "list")]
    [InlineData("online: 0-3", "on-line: 0-3", 0, "'online: ...' is needed in [cpus]")]
    [InlineData("quirk: no-node-links", "quirk: no-links", 2, "no such quirk")]
    [InlineData("[cores]", "[kernels]", 9, "not known")]
    [InlineData("[cores]", "[cpus]", 9, "twice")]
    [InlineData("package 0: 0=0-1 1=2-3", "package 0: 0", 11, "has no '='")]
    [InlineData("package 0: 0=0-1 1=2-3", "packet 0: 0=0-3", 11, "'package ...' is needed")]
    [InlineData("L1 Data 32K", "Data 32K", 15, "LEVEL TYPE SIZE")]
    [InlineData("private to 0-3", "owned by 0-3", 15, "'shared by ...' is needed")]
    [InlineData("free 524288 kB", "free 512 MB", 20, "N kB")]
    [InlineData("0: 10 17", "7: 10 17", 25, "no such node")]
    [InlineData("figures 300 300 none 0", "figures 300", 30, "four figures")]
    [InlineData("lo: virtual", "lo: real", 43, "'virtual' is needed")]
    [InlineData("allowed cpus: 0-2", "allowed cpu: 0-2", 51, "not known here")]
    [InlineData("lo: virtual", "lo virtual", 43, "not of the form")]
    public void Parse_WrongLine_IsNamedWithItsNumber(string right, string wrong, int line, string reason)
    {
        var text = Lines(Small).Replace(right, wrong, StringComparison.Ordinal);

        var exception = Assert.Throws<FormatException>(() => MachineFactsParser.Parse("small.machine", text));

        var place = line == 0 ? "small.machine: " : $"small.machine({line}): ";
        Assert.StartsWith(place, exception.Message, StringComparison.Ordinal);
        Assert.Contains(reason, exception.Message, StringComparison.Ordinal);
    }

    /// <summary>
    /// Not a test but a program that eng/machine-facts runs: it writes the facts of a tree to tests/Machines, and fails if the
    /// tree that is written from them does not read like the original.
    /// </summary>
    [Fact(Explicit = true)]
    [Trait("tier", "deep")]
    public void Write_FactsOfATree()
    {
        var name = Environment.GetEnvironmentVariable("MACHINE_NAME");
        var tree = Environment.GetEnvironmentVariable("MACHINE_TREE");
        Assert.SkipWhen(string.IsNullOrEmpty(name) || string.IsNullOrEmpty(tree), "eng/machine-facts runs this.");
        var path = Path.Join(RealMachines.Folder, $"{name}.machine");
        var facts = MachineFactsCapture.Capture(name, tree);
        if (File.Exists(path))
        {
            var old = MachineFactsParser.ParseFile(path);
            facts = facts with { About = old.About, Answers = old.Answers };
        }

        File.WriteAllText(path, MachineFactsWriter.Write(facts));

        using var folder = TemporaryFolder.InMemory();
        MachineLayout.Write(MachineFactsParser.ParseFile(path), folder.Path);
        TopologyText.AssertSame(Path.GetFullPath(tree), folder.Path);
    }
}
