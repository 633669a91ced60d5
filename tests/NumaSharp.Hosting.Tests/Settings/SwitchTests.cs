using Microsoft.Extensions.Configuration;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Configuration;

/// <summary>The section as a value: <c>"Numa": false</c>, <c>--Numa=off</c>.</summary>
public sealed class SwitchTests
{
    [Theory]
    [InlineData("False", false)]
    [InlineData(" off ", false)]
    [InlineData("OFF", false)]
    [InlineData("True", true)]
    [InlineData("on", true)]
    [InlineData("0", false)]
    [InlineData("no", false)]
    [InlineData("1", true)]
    [InlineData("Yes", true)]
    [InlineData("", true)]
    public void Bind_SectionIsAValue_IsTheKeyEnabled(string value, bool isEnabled)
    {
        var (options, failures) = Bind([("Numa", value)]);
        Assert.Empty(failures);
        Assert.Equal(isEnabled, options.Enabled);
    }

    [Fact]
    public void Bind_SectionIsOffInOneSource_OtherKeysOfOthersStay()
    {
        var (options, failures) = Bind([("Numa:Transport:Backlog", "7")], [("Numa", "off")]);
        Assert.Empty(failures);
        Assert.Equal((false, 7), (options.Enabled, options.Transport.Backlog));
    }

    [Theory]
    [InlineData("Numa", "off", "Numa:Enabled", "true", true)]
    [InlineData("Numa:Enabled", "true", "Numa", "off", false)]
    [InlineData("Numa", "on", "Numa:Enabled", "false", false)]
    [InlineData("Numa:Enabled", "false", "Numa", "on", true)]
    public void Bind_SwitchAndKeyInTwoSources_TheLaterCounts(
        string first, string firstValue, string second, string secondValue, bool isEnabled) =>
        Assert.Equal(isEnabled, Bind([(first, firstValue)], [(second, secondValue)]).Options.Enabled);

    [Fact]
    public void Bind_SwitchAndKeyInOneSource_TheKeyCounts() =>
        Assert.True(Bind([("Numa", "off"), ("Numa:Enabled", "true")]).Options.Enabled);

    [Theory]
    [InlineData("fast")]
    [InlineData("2")]
    public void Bind_SectionIsAnotherValue_IsRefusedWithWhatIsAllowed(string value)
    {
        var (options, failures) = Bind([("Numa", value)]);
        Assert.True(options.Enabled);
        Assert.Equal(
            $"Numa = '{value}': must be a section, or true, on, false or off for its key Enabled", Assert.Single(failures));
    }

    private static (NumaOptions Options, string[] Failures) Bind(params (string Key, string Value)[][] sources)
    {
        var builder = new ConfigurationBuilder();
        foreach (var source in sources)
        {
            builder.AddInMemoryCollection(source.Select(static s => KeyValuePair.Create<string, string?>(s.Key, s.Value)));
        }

        var configuration = builder.Build();
        var section = new NumaSection(configuration.GetSection("Numa"), configuration);
        var options = new NumaOptions();
        return (options, [.. section.Bind(options).Select(section.Describe)]);
    }
}
