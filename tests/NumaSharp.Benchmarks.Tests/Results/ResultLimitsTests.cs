using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Results;

namespace NumaSharp.Benchmarks.Tests.Results;

public sealed class ResultLimitsTests
{
    [Fact]
    public void Of_LargeMachine_StillHasOneCpuForAServer() => Assert.StartsWith(
        "A server on many CPUs: ", Assert.Single(Limits(MadeUp.Machine, "pool")), StringComparison.Ordinal);

    [Theory]
    [InlineData("http")]
    [InlineData("udp")]
    [InlineData("stop")]
    public void Of_KindsWithClients_HaveNoNetwork(string kind) => AssertHas("A network: ", Limits(MadeUp.Machine, kind));

    [Fact]
    public void Of_OneNode_HasNoPlacement() =>
        AssertHas("Several NUMA nodes, and no machine with two sockets: ", Limits(MadeUp.Machine with { Nodes = 1 }));

    [Fact]
    public void Of_TwoCpus_ShareThem() => AssertHas("More than two CPUs: ", Limits(MadeUp.Machine with { Cores = 2 }));

    [Fact]
    public void Of_VirtualMachine_IsNoBareMetal() =>
        AssertHas("Bare metal: it is a virtual machine. ", Limits(MadeUp.Machine with { IsVirtual = true }));

    // A file of before these were written down must not pass for bare metal with many nodes.
    [Fact]
    public void Of_MachineThatDoesNotSay_IsSaid()
    {
        var limits = Limits(MadeUp.Machine with { Nodes = null, IsVirtual = null });

        AssertHas("How many NUMA nodes there are: ", limits);
        AssertHas("Whether it is a virtual machine: ", limits);
    }

    [Fact]
    public void Of_ShortRuns_AreNamed()
    {
        var quick = MadeUp.Kind("pool") with
        {
            Result = new BenchmarkResult(MadeUp.Machine with { Command = "benchmarks pool --quick" }, []),
        };
        var full = MadeUp.Kind("memory") with
        {
            Result = new BenchmarkResult(MadeUp.Machine with { Command = "benchmarks memory --filter x--quick" }, []),
        };

        Assert.EndsWith(
            " That is `pool`.",
            Assert.Single(
                ResultLimits.Of(MadeUp.Of(quick, full)),
                static limit => limit.StartsWith("Runs of full length: ", StringComparison.Ordinal)),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Of_KindsOfTwoMachines_SaysSo()
    {
        var other = MadeUp.Kind("udp") with { Result = new BenchmarkResult(MadeUp.Machine with { Cpu = "Model Y" }, []) };

        AssertHas("One machine with one runtime: ", [.. ResultLimits.Of(MadeUp.Of(MadeUp.Kind("pool"), other))]);
    }

    [Fact]
    public void Of_NotesAndReasons_AreListedAsTheyAre()
    {
        var limits = ResultLimits.Of(new ResultSet(
            [MadeUp.Kind("pool") with { Result = new BenchmarkResult(MadeUp.Machine with { Notes = ["left out: a|b"] }, []) }],
            [new KindReason("http", "not on PATH: wrk")])).ToArray();

        Assert.Equal(["`http`, which was not measured: not on PATH: wrk.", @"`pool`: left out: a\|b."], limits[^2..]);
    }

    private static string[] Limits(MachineDescription machine, string kind = "pool") =>
        [.. ResultLimits.Of(MadeUp.Of(new KindResult(kind, new BenchmarkResult(machine, []))))];

    private static void AssertHas(string beginning, string[] limits) =>
        Assert.Contains(limits, limit => limit.StartsWith(beginning, StringComparison.Ordinal));
}
