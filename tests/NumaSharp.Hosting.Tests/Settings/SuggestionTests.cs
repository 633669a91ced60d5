using Microsoft.Extensions.Configuration;
using NumaSharp.Hosting.Platform;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Configuration;

/// <summary>What may have been meant by a value that is not allowed.</summary>
public sealed class SuggestionTests
{
    [Theory]
    [InlineData("Memory:LimitPerNode", "4GB", "4GiB")]
    [InlineData("Memory:LimitPerNode", "4g", "4GiB")]
    [InlineData("Memory:LimitPerNode", "64 megabytes", "64MiB")]
    [InlineData("Memory:LimitPerNode", "7.5GiB", "7680MiB")]
    [InlineData("Memory:LimitPerNode", "7.6GiB", "7782MiB")]
    [InlineData("Transport:Dispatch", "Inlin", "Inline")]
    [InlineData("Transport:Dispatch", "adaptiev", "Adaptive")]
    [InlineData("Memory:HugePages", "2MB", "2MiB")]
    [InlineData("Transport:StallThreshold", "5 seconds", "5s")]
    [InlineData("Transport:StallThreshold", "1.5 milliseconds", "1.5ms")]
    [InlineData("Transport:StallThreshold", "500\u00b5s", "500us")]
    [InlineData("Topology:PollInterval", "1min", "1m")]
    [InlineData("Topology:PollInterval", "2 hours", "2h")]
    [InlineData("Transport:NoDelay", "off", "false")]
    [InlineData("Transport:NoDelay", "ture", "true")]
    [InlineData("Transport:Endpoints:0:NoDelay", "yes", "true")]
    public void Bind_ValueThatIsNearlyRight_NamesTheRightOne(string key, string value, string meant) =>
        Assert.EndsWith($"; did you mean '{meant}'?", ReasonOf(key, value), StringComparison.Ordinal);

    [Theory]
    [InlineData("Memory:LimitPerNode", "lots")]
    [InlineData("Memory:LimitPerNode", "GB")]
    [InlineData("Memory:LimitPerNode", "99999999999999999999999999999GB")]
    [InlineData("Memory:BlockSize", "4GB")]
    [InlineData("Transport:Dispatch", "Threads")]
    [InlineData("Memory:HugePages", "4MiB")]
    [InlineData("Transport:StallThreshold", "5")]
    [InlineData("Transport:StallThreshold", "5 fortnights")]
    [InlineData("Transport:StallThreshold", "5 hours")]
    [InlineData("Transport:NoDelay", "maybe")]
    public void Bind_ValueThatMayBeAnything_NamesNone(string key, string value) =>
        Assert.DoesNotContain("did you mean", ReasonOf(key, value), StringComparison.Ordinal);

    [Theory]
    [InlineData("SingelNode", "; did you mean 'SingleNode'?")]
    [InlineData(
        "simulated",
        "; for simulated, reference NumaSharp.Plugins.Simulated and call AddSimulated(), or name its assembly in Plugins")]
    [InlineData(
        "Windows",
        "; for Windows, reference NumaSharp.Plugins.Windows and call AddWindows(), or name its assembly in Plugins")]
    [InlineData("Mainframe", "Linux, SingleNode")]
    public void Check_NoSuchProvider_SaysWhatMayHaveBeenMeant(string name, string end)
    {
        var catalog = new ProviderCatalog<string>("Topology:Provider", ["Linux", "SingleNode"], static provider => provider);
        Assert.EndsWith(end, Assert.Single(catalog.Check(name)).Reason, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1L << 30, "1GiB")]
    [InlineData((1L << 30) - 1, "1023.9MiB")]
    [InlineData(7956692L << 10, "7.5GiB")]
    [InlineData(4096, "4KiB")]
    [InlineData(1000, "1000B")]
    [InlineData(0, "0B")]
    [InlineData(long.MaxValue, "8388607.9TiB")]
    public void Rounded_Bytes_AreAFewDigitsThatAreNotTooMuch(long bytes, string text) =>
        Assert.Equal(text, SizeFormat.Rounded(bytes));

    private static string ReasonOf(string key, string value)
    {
        var configuration = new ConfigurationBuilder()
            .AddInMemoryCollection([KeyValuePair.Create<string, string?>("Numa:" + key, value)])
            .Build();
        return Assert.Single(new NumaSection(configuration.GetSection("Numa")).Bind(new NumaOptions())).Reason;
    }
}
