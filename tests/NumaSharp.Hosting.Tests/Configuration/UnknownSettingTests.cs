using Microsoft.Extensions.Configuration;
using NumaSharp.Hosting.Configuration;

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
    [InlineData("Plugins:0:Asembly", "Plugins:*:Assembly")]
    public void FindUnknown_Misspelled_NamesTheNearest(string key, string nearest) =>
        Assert.Equal(new UnknownSetting(key, nearest), Assert.Single(UnknownOf((key, "1"))));

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
