using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Hosting.Platform;

namespace NumaSharp.Hosting.Tests.Platform;

public sealed class PlatformSelectorTests
{
    [Fact]
    public void Select_AutoOnLinux_IsLinux() => Assert.Equal(("Linux", "Linux", "Linux"), NamesOf(Select(isLinux: true)));

    [Fact]
    public void Select_AutoOnLinuxWithPlugin_IsStillLinux() =>
        Assert.Equal(("Linux", "Linux", "Linux"), NamesOf(Select(isLinux: true, plugins: [Plugin()])));

    [Fact]
    public void Select_AutoElsewhere_IsOneNode() =>
        Assert.Equal(("SingleNode", "SingleNode", "SingleNode"), NamesOf(Select(isLinux: false)));

    [Fact]
    public void Select_AutoElsewhereWithPlatformPlugin_IsThePlugin() =>
        Assert.Equal(("Mine", "Mine", "Mine"), NamesOf(Select(isLinux: false, plugins: [Plugin()])));

    [Fact]
    public void Select_AutoElsewhereWithTwoPlugins_AsksForAName()
    {
        var selection = Select(isLinux: false, plugins: [Plugin("A"), Plugin("B")]);
        Assert.Equal("several platforms are registered, name one: A, B", Assert.Single(selection.Failures).Reason);
        Assert.Null(selection.Platform);
    }

    [Fact]
    public void Select_TopologyByName_BringsItsMemoryAndAffinity() => Assert.Equal(
        ("Mine", "Mine", "Mine"),
        NamesOf(Select(isLinux: true, static o => o.Topology.Provider = "MINE", Plugin())));

    [Fact]
    public void Select_TopologyThatSuppliesNothingElse_GetsTheSystemsOwn()
    {
        var selector = new PlatformSelector([Plugin().Topology], [], [], isLinux: true);
        var options = new NumaOptions { Topology = { Provider = "mine" } };
        Assert.Equal(("Mine", "Linux", "Linux"), NamesOf(selector.Select(options)));
        selector = new PlatformSelector([Plugin().Topology], [], [], isLinux: false);
        Assert.Equal(("Mine", "SingleNode", "SingleNode"), NamesOf(selector.Select(options)));
    }

    [Fact]
    public void Select_EachByItsOwnName_IsTaken() => Assert.Equal(
        ("SingleNode", "Mine", "Linux"),
        NamesOf(Select(
            isLinux: true,
            static o =>
            {
                o.Topology.Provider = "singlenode";
                o.Memory.Provider = "mine";
                o.Affinity.Provider = "linux";
            },
            Plugin())));

    [Fact]
    public void Select_UnknownName_ListsTheKnownOnes()
    {
        var failure = Assert.Single(Select(isLinux: true, static o => o.Topology.Provider = "Nope", Plugin()).Failures);
        Assert.Equal(("Topology:Provider", "Nope"), (failure.Path, failure.Value));
        Assert.Equal("must be Auto or a registered provider: Linux, Mine, SingleNode", failure.Reason);
    }

    [Fact]
    public void Select_LinuxProvidersElsewhere_AreNotOfferedWhereTheyCannotWork()
    {
        var failure = Assert.Single(Select(isLinux: false, static o => o.Affinity.Provider = "Linux").Failures);
        Assert.Equal("must be Auto or a registered provider: SingleNode", failure.Reason);
    }

    [Theory]
    [InlineData("linux")]
    [InlineData("SINGLENODE")]
    [InlineData("auto")]
    public void Select_PluginWithATakenName_Fails(string name)
    {
        var failures = Select(isLinux: true, plugins: [Plugin(name)]).Failures;
        Assert.Equal(
            ["Topology:Provider", "Memory:Provider", "Affinity:Provider"], failures.Select(static failure => failure.Path));
    }

    [Fact]
    public void Select_SamePluginTwice_Fails()
    {
        var failure = Select(isLinux: true, plugins: [Plugin("X"), Plugin("x")]).Failures[0];
        Assert.Equal(
            "2 providers are registered as 'X'; names must differ (registered: Linux, SingleNode, X, x)", failure.Reason);
    }

    [Theory]
    [InlineData("/srv/captured/sys", "/proc")]
    [InlineData("/sys", "/srv/captured/proc")]
    public void Select_ForeignTree_NeitherPinsNorBindsAndSaysSo(string sysfs, string proc)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "paths of this test are Unix paths");
        var selection = Select(isLinux: true, Foreign(sysfs, proc));
        Assert.Equal(("Linux", "SingleNode", "SingleNode"), NamesOf(selection));
        Assert.Equal("topology.root", selection.Notice?.Feature);
        Assert.Contains("threads are not pinned and memory is not bound", selection.Notice!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Select_ForeignTreeWithNamedProviders_TakesThem()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "paths of this test are Unix paths");
        var selection = Select(isLinux: true, static o =>
        {
            Foreign("/host/sys", "/host/proc")(o);
            o.Memory.Provider = o.Affinity.Provider = "Linux";
        });
        Assert.Equal(("Linux", "Linux", "Linux"), NamesOf(selection));
        Assert.Null(selection.Notice);
    }

    [Theory]
    [InlineData("/sys/")]
    [InlineData("/./sys")]
    public void Select_SameTreeWrittenOtherwise_IsThisMachine(string sysfs)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "paths of this test are Unix paths");
        var selection = Select(isLinux: true, Foreign(sysfs, "/proc/"));
        Assert.Equal(("Linux", "Linux", "Linux"), NamesOf(selection));
    }

    [Fact]
    public void Select_OffAndUnknownNames_FollowsAuto() =>
        Assert.Equal(("Linux", "Linux", "Linux"), NamesOf(Select(isLinux: true, static o =>
        {
            o.Enabled = false;
            o.Topology.Provider = o.Memory.Provider = o.Affinity.Provider = "Nope";
            o.Memory.HugePages = NumaHugePageUse.Size1GiB;
        })));

    [Fact]
    public void Select_OffAndATopologyThatIsRegistered_IsTakenWithItsMemoryAndAffinity() =>
        Assert.Equal(("Mine", "Mine", "Mine"), NamesOf(Select(
            isLinux: true,
            static o =>
            {
                o.Enabled = false;
                o.Topology.Provider = "mine";
                o.Memory.Provider = o.Affinity.Provider = "Linux";
            },
            Plugin())));

    [Fact]
    public void Select_OffElsewhereWithTwoPlugins_IsOneNode() => Assert.Equal(
        ("SingleNode", "SingleNode", "SingleNode"),
        NamesOf(Select(isLinux: false, static o => o.Enabled = false, Plugin("A"), Plugin("B"))));

    private static Action<NumaOptions> Foreign(string sysfs, string proc) => options =>
    {
        options.Topology.SysfsRoot = sysfs;
        options.Topology.ProcRoot = proc;
    };

    private static PlatformSelection Select(
        bool isLinux, Action<NumaOptions>? configure = null, params NumaPlatform[] plugins)
    {
        var options = new NumaOptions();
        configure?.Invoke(options);
        return new PlatformSelector(
            plugins.Select(static plugin => plugin.Topology),
            plugins.Select(static plugin => plugin.Memory),
            plugins.Select(static plugin => plugin.Affinity),
            isLinux).Select(options);
    }

    // Only their names matter, and the test kit's providers have fixed ones.
    private static NumaPlatform Plugin(string name = "Mine")
    {
        var topology = Substitute.For<INumaTopologyProvider>();
        topology.Name.Returns(name);
        var memory = Substitute.For<INumaMemoryProvider>();
        memory.Name.Returns(name);
        var affinity = Substitute.For<INumaAffinityProvider>();
        affinity.Name.Returns(name);
        return new NumaPlatform(topology, memory, affinity);
    }

    private static (string Topology, string Memory, string Affinity) NamesOf(PlatformSelection selection)
    {
        Assert.Empty(selection.Failures);
        var platform = selection.Platform!;
        return (platform.Topology.Name, platform.Memory.Name, platform.Affinity.Name);
    }
}
