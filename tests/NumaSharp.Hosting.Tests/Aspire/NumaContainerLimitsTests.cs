using Aspire.Hosting.ApplicationModel;
using NumaSharp.Aspire.Hosting.Mapping;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Aspire;

/// <summary>What a container engine is asked for, on a machine of nodes 0 and 1 with two CPUs each.</summary>
public sealed class NumaContainerLimitsTests
{
    private readonly NumaTopology _topology = TestMachines.Row(2, 2).Read();

    [Fact]
    public void ToArguments_Node_AreItsCpusAndMemory() =>
        Assert.Equal(["--cpuset-cpus=2-3", "--cpuset-mems=1"], ArgumentsOf(new() { Nodes = "1" }));

    [Fact]
    public void ToArguments_Cpus_AreThoseAndTheMemoryOfTheirNodes() =>
        Assert.Equal(["--cpuset-cpus=1-2", "--cpuset-mems=0-1"], ArgumentsOf(new() { Cpus = "1-2" }));

    [Fact]
    public void ToArguments_NodeAndCpus_AreWhatIsInBoth() =>
        Assert.Equal(["--cpuset-cpus=3", "--cpuset-mems=1"], ArgumentsOf(new() { Nodes = "1", Cpus = "1,3" }));

    [Fact]
    public void ToArguments_MemoryFromElsewhere_DoNotTakeItAway()
    {
        Assert.Equal(["--cpuset-cpus=2-3"], ArgumentsOf(new() { Nodes = "1", MemoryPolicy = NumaMemoryPolicy.Custom }));
        Assert.Equal(
            ["--cpuset-cpus=2-3"],
            ArgumentsOf(new() { Nodes = "1", Settings = { ["Binding:Policy"] = "Interleave" } }));
    }

    [Fact]
    public void ToArguments_MachineIsNotKnown_AreWhatTheSettingsName()
    {
        Assert.Empty(NumaContainerLimits.From(new() { Nodes = "1" }, topology: null).ToArguments());
        Assert.Equal(["--cpuset-cpus=5-7"], NumaContainerLimits.From(new() { Cpus = "5-7" }, topology: null).ToArguments());
    }

    [Fact]
    public void ToArguments_CapabilitiesProfileAndLimits_AreInTheEnginesWords() => Assert.Equal(
        [
            "--cap-add=SYS_NICE", "--security-opt=seccomp=/etc/numa.json", "--ulimit=nofile=100000:100000",
            "--ulimit=memlock=1073741824:1073741824",
        ],
        ArgumentsOf(new()
        {
            AllowMemoryBinding = true,
            SeccompProfile = "/etc/numa.json",
            OpenFiles = 100_000,
            LockedMemoryBytes = 1 << 30,
        }));

    [Fact]
    public void ToArguments_NothingSet_AreNone() => Assert.Empty(ArgumentsOf(new()));

    [Fact]
    public void FindMisfits_NodeAndCpuThatAreNotThere_NameBoth()
    {
        var misfits = NumaFence.FindMisfits(new() { Nodes = "7", Cpus = "9" }, _topology);

        Assert.Contains(misfits, static misfit => misfit.StartsWith(
            "Nodes = '7': 7 cannot be used; allowed are the nodes that this process may use: 0-1", StringComparison.Ordinal));
        Assert.Contains(misfits, static misfit => misfit.StartsWith("Cpus = '9': ", StringComparison.Ordinal));
    }

    [Fact]
    public void FindMisfits_WhatIsThere_IsEmpty() =>
        Assert.Empty(NumaFence.FindMisfits(new() { Nodes = "0", Cpus = "0-1" }, _topology));

    private IEnumerable<string> ArgumentsOf(NumaResourceOptions options) =>
        NumaContainerLimits.From(options, _topology).ToArguments();
}
