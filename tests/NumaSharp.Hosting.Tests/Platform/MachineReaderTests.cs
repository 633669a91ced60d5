using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Hosting.Platform;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Hosting.Tests.Platform;

public sealed class MachineReaderTests
{
    private const string Broken = "Reading the simulated machine failed: EIO.";

    private static readonly SimulatedFault s_broken = new(SimulatedOperation.Read, SimulatedError.EIO);

    private readonly NumaFallbacks _fallbacks = new();

    [Fact]
    public void Read_SameSelectionAgain_ReadsTheMachineOnce()
    {
        using var machine = NumaHost.TwoNodes();
        var reader = ReaderOf(machine, isLinux: false);
        Assert.Same(reader.Read(new NumaOptions()).Topology, reader.Read(new NumaOptions()).Topology);
        Assert.Equal(1, machine.GetCallCount(SimulatedOperation.Read));
    }

    [Fact]
    public void Read_ProviderWaitsForAnotherReader_BothHaveTheSameMachine()
    {
        var provider = Substitute.For<INumaTopologyProvider>();
        provider.Name.Returns("Mine");
        var reader = new MachineReader(new PlatformSelector([provider], [], [], isLinux: false), _fallbacks);
        var options = new NumaOptions { Topology = { Provider = "Mine" } };
        Machine? others = null;
        var reads = 0;
        provider.Read().Returns(_ =>
        {
            if (Interlocked.Increment(ref reads) == 1)
            {
                others = TestThreads.Run(() => reader.Read(options));
            }

            return TestMachines.Row(2, 2).Read();
        });

        var read = reader.Read(options);
        Assert.Empty(read.Failures);
        Assert.NotNull(read.Topology);
        Assert.Same(others, read);
        Assert.Same(read, reader.Read(options));
        Assert.Equal(2, reads);
    }

    [Fact]
    public void Read_AutoCannotBeRead_IsOneNodeAndSaysSo()
    {
        using var machine = NumaHost.TwoNodes(s_broken);
        var read = ReaderOf(machine, isLinux: false).Read(new NumaOptions());
        Assert.Equal("SingleNode", read.Topology?.Source);
        Assert.Equal("SingleNode", read.Platform?.Memory.Name);
        Assert.StartsWith(Broken, Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_NamedCannotBeRead_Fails()
    {
        using var machine = NumaHost.TwoNodes(s_broken);
        var read = ReaderOf(machine, isLinux: false).Read(new NumaOptions { Topology = { Provider = "Simulated" } });
        Assert.Equal(("Topology:Provider", Broken), (Assert.Single(read.Failures).Path, read.Failures[0].Reason));
        Assert.Null(read.Platform);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Read_OffAndNamedCannotBeRead_IsOneNodeAndSaysSo()
    {
        using var machine = NumaHost.TwoNodes(s_broken);
        var options = new NumaOptions { Enabled = false, Topology = { Provider = "Simulated" } };
        Assert.Equal("SingleNode", ReaderOf(machine, isLinux: false).Read(options).Topology?.Source);
        Assert.StartsWith(Broken, Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_ProviderThatBreaksItsContract_IsAFailureOfItsKey()
    {
        var provider = Substitute.For<INumaTopologyProvider>();
        provider.Name.Returns("Mine");
        provider.Read().Returns(static _ => throw new InvalidOperationException("Oops."));
        var reader = new MachineReader(new PlatformSelector([provider], [], [], isLinux: true), _fallbacks);
        var failure = Assert.Single(reader.Read(new NumaOptions { Topology = { Provider = "mine" } }).Failures);
        Assert.Equal(
            ("Topology:Provider", "The provider Mine failed with InvalidOperationException: Oops."),
            (failure.Path, failure.Reason));
    }

    [Fact]
    public void Read_ProviderReadsNull_IsAFailureOfItsKey()
    {
        var provider = Substitute.For<INumaTopologyProvider>();
        provider.Name.Returns("Mine");
        provider.Read().Returns((NumaTopology)null!);
        var reader = new MachineReader(new PlatformSelector([provider], [], [], isLinux: true), _fallbacks);
        var failure = Assert.Single(reader.Read(new NumaOptions { Topology = { Provider = "mine" } }).Failures);
        Assert.Equal(
            ("Topology:Provider", "The provider Mine returned no topology (null)."), (failure.Path, failure.Reason));
    }

    [Fact]
    public void Read_NamedTreeThatIsNotThere_NamesItsKey()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "paths of this test are Unix paths");
        var options = new NumaOptions { Topology = { SysfsRoot = "/no/such/tree" } };
        var failure = Assert.Single(ReaderOf(NumaHost.TwoNodes(), isLinux: true).Read(options).Failures);
        Assert.Equal(("Topology:SysfsRoot", "/no/such/tree"), (failure.Path, failure.Value));
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Read_FailedBefore_ReadsAgain()
    {
        using var machine = NumaHost.TwoNodes(s_broken);
        var reader = ReaderOf(machine, isLinux: false);
        var options = new NumaOptions { Topology = { Provider = "Simulated" } };
        Assert.NotEmpty(reader.Read(options).Failures);
        machine.ClearFaults();
        Assert.Empty(reader.Read(options).Failures);
    }

    [Fact]
    public void Read_TopologyWithWarnings_ReportsThemAsOneFallback()
    {
        var provider = Substitute.For<INumaTopologyProvider>();
        provider.Name.Returns("Mine");
        provider.Read().Returns(new NumaTopology("Mine", TestMachines.Row(2, 2).Read().Nodes, ["first", "second"]));
        new MachineReader(new PlatformSelector([provider], [], [], isLinux: false), _fallbacks)
            .Read(new NumaOptions { Topology = { Provider = "Mine" } });
        Assert.Equal(new NumaFallback("topology.read", "first; second"), Assert.Single(_fallbacks.Current));
    }

    private MachineReader ReaderOf(SimulatedMachine machine, bool isLinux) => new(
        new PlatformSelector([machine.Platform.Topology], [machine.Platform.Memory], [machine.Platform.Affinity], isLinux),
        _fallbacks);
}
