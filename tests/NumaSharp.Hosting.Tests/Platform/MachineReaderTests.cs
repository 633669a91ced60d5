using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Hosting.Platform;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Platform;

public sealed class MachineReaderTests
{
    private readonly NumaFallbacks _fallbacks = new();

    [Fact]
    public void Read_SameSelectionAgain_ReadsTheMachineOnce()
    {
        var platform = new FakePlatform();
        var reader = ReaderOf(platform, isLinux: false);
        Assert.Same(reader.Read(new NumaOptions()).Topology, reader.Read(new NumaOptions()).Topology);
        Assert.Equal(1, platform.Reads);
    }

    [Fact]
    public void Read_AutoCannotBeRead_IsOneNodeAndSaysSo()
    {
        var platform = new FakePlatform { ReadFailure = new NumaException("Broken.") };
        var machine = ReaderOf(platform, isLinux: false).Read(new NumaOptions());
        Assert.Equal("SingleNode", machine.Topology?.Source);
        Assert.Equal("SingleNode", machine.Platform?.Memory.Name);
        Assert.StartsWith("Broken.", Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_NamedCannotBeRead_Fails()
    {
        var platform = new FakePlatform { ReadFailure = new NumaException("Broken.") };
        var machine = ReaderOf(platform, isLinux: false).Read(new NumaOptions { Topology = { Provider = "Fake" } });
        Assert.Equal(("Topology:Provider", "Broken."), (Assert.Single(machine.Failures).Path, machine.Failures[0].Reason));
        Assert.Null(machine.Platform);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Read_OffAndNamedCannotBeRead_IsOneNodeAndSaysSo()
    {
        var platform = new FakePlatform { ReadFailure = new NumaException("Broken.") };
        var options = new NumaOptions { Enabled = false, Topology = { Provider = "Fake" } };
        Assert.Equal("SingleNode", ReaderOf(platform, isLinux: false).Read(options).Topology?.Source);
        Assert.StartsWith("Broken.", Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
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
            ("Topology:Provider", "The provider Mine has read nothing: its topology is null."), (failure.Path, failure.Reason));
    }

    [Fact]
    public void Read_NamedTreeThatIsNotThere_NamesItsKey()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "paths of this test are Unix paths");
        var options = new NumaOptions { Topology = { SysfsRoot = "/no/such/tree" } };
        var failure = Assert.Single(ReaderOf(new FakePlatform(), isLinux: true).Read(options).Failures);
        Assert.Equal(("Topology:SysfsRoot", "/no/such/tree"), (failure.Path, failure.Value));
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Read_FailedBefore_ReadsAgain()
    {
        var platform = new FakePlatform { ReadFailure = new NumaException("Broken.") };
        var reader = ReaderOf(platform, isLinux: false);
        var options = new NumaOptions { Topology = { Provider = "Fake" } };
        Assert.NotEmpty(reader.Read(options).Failures);
        platform.ReadFailure = null;
        Assert.Empty(reader.Read(options).Failures);
    }

    [Fact]
    public void Read_TopologyWithWarnings_ReportsThemAsOneFallback()
    {
        ReaderOf(new FakePlatform { Warnings = ["first", "second"] }, isLinux: false).Read(new NumaOptions());
        Assert.Equal(new NumaFallback("topology.read", "first; second"), Assert.Single(_fallbacks.Current));
    }

    private MachineReader ReaderOf(FakePlatform platform, bool isLinux) =>
        new(new PlatformSelector([platform], [platform], [platform], isLinux), _fallbacks);
}
