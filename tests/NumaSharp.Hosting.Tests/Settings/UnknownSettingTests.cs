using Microsoft.Extensions.Configuration;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Configuration;

public sealed class UnknownSettingTests
{
    [Theory]
    [InlineData("Transport:Backlgo", "Transport:Backlog")]
    [InlineData("Transport:nodelays", "Transport:NoDelay")]
    [InlineData("Backlog", "Transport:Backlog")]
    [InlineData("Memory:ThreadsPerNode", "Scheduler:ThreadsPerNode")]
    [InlineData("Bindings:Mode", "Binding:Mode")]
    [InlineData("Enable", "Enabled")]
    [InlineData("Plugins:0:Asembly", "Plugins:0:Assembly")]
    [InlineData("Transport:Endpoints:0:Bakclog", "Transport:Endpoints:0:Backlog")]
    [InlineData("Udp:dns:Gos", "Udp:dns:Gso")]
    [InlineData("Udp:dns:Prot", "Udp:dns:Port")]
    [InlineData("Foo", null)]
    [InlineData("HugePages:Foo", null)]
    [InlineData("Simulated:Preset", null)]
    [InlineData("Simulated:Nodes:0:Cpus", null)]
    [InlineData("Transport:Endpoints:0:Nonsense", null)]
    public void FindUnknown_Misspelled_NamesTheNearestIfOneIsNear(string key, string? nearest) =>
        Assert.Equal(new UnknownSetting(key, nearest), Assert.Single(UnknownOf((key, "1"))));

    [Theory]
    [InlineData("Bindings:Mode", "Did you mean Numa:Binding:Mode?")]
    [InlineData("Foo", "No known setting has a similar name.")]
    [InlineData(
        "Simulated:Preset",
        "It belongs to NumaSharp.Plugins.Simulated: reference NumaSharp.Plugins.Simulated and call AddSimulated(), or name its "
        + "assembly in Plugins.")]
    public void AdviceWith_Unknown_SaysWhatToDo(string key, string advice) =>
        Assert.Equal(advice, UnknownSetting.For(key).AdviceWith("Numa:"));

    [Fact]
    public void FindUnknown_KnownKeysInAnyCase_FindsNothing() =>
        Assert.Empty(UnknownOf([.. NumaSettings.All.Select(static s => (s.Path.ToUpperInvariant().Replace('*', '0'), ""))]));

    [Fact]
    public void FindUnknown_SectionOfAPlugin_IsItsOwnBusiness() =>
        Assert.Empty(UnknownOf(("Plugin:Anything:0", "1"), ("PLUGIN:Other", "2")));

    [Theory]
    [InlineData("Transport", "")]
    [InlineData("Transport", "fast")]
    [InlineData("Binding:Nodes:0", "1")]
    [InlineData("Plugins:0", "plugins/a.dll")]
    public void FindUnknown_KnownKeyOfTheWrongShape_IsLeftToValidation(string key, string value) =>
        Assert.Empty(UnknownOf((key, value)));

    [Fact]
    public void FindUnknown_NoSection_FindsNothing() => Assert.Empty(new NumaSection(null).FindUnknown([]));

    private static IEnumerable<UnknownSetting> UnknownOf(params (string Key, string Value)[] settings)
    {
        var configuration = new ConfigurationBuilder()
            .AddInMemoryCollection(settings.Select(static s => KeyValuePair.Create<string, string?>("Numa:" + s.Key, s.Value)))
            .Build();
        return new NumaSection(configuration.GetSection("Numa")).FindUnknown(["Plugin"]);
    }
}
