using Microsoft.Extensions.Configuration;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Configuration;

/// <summary>What reading the settings asks of the configuration: each answer is a pass over all keys of all sources.</summary>
public sealed class SectionWalkTests
{
    [Fact]
    public void Bind_NothingIsSet_AsksOnce() => Assert.Equal(1, AskedBy());

    [Fact]
    public void Bind_KeysAreSet_AsksOncePerKey() =>
        Assert.Equal(6, AskedBy("Numa:Transport:Backlog", "Numa:Transport:Endpoints:0:Backlog"));

    [Fact]
    public void Of_Section_HasNamesAsTheyAreWrittenInTheConfigurationsOrder()
    {
        var written = WrittenKey.Of(SectionOf(["Numa:udp:DNS:Port", "Numa:A:10", "Numa:A:9", "Numa::X"]));

        Assert.Equal([":X", "A:9", "A:10", "udp:DNS:Port"], written.Leaves());
        Assert.Equal("udp:DNS:Port", written.Find("Udp:dns:port")?.Path);
        Assert.Null(written.Find("Udp:dns:Address"));
        Assert.Null(written.Find("Udp:web:Port"));
    }

    private static int AskedBy(params string[] keys)
    {
        var source = new CountingSource(keys);
        var section = new NumaSection(new ConfigurationBuilder().Add(source).Build().GetSection("Numa"));
        source.Asked = 0;
        Assert.Empty(section.Bind(new NumaOptions()));
        return source.Asked;
    }

    private static IConfigurationSection SectionOf(string[] keys) =>
        new ConfigurationBuilder().Add(new CountingSource(keys)).Build().GetSection("Numa");

    private sealed class CountingSource : ConfigurationProvider, IConfigurationSource
    {
        public CountingSource(IEnumerable<string> keys) =>
            Data = keys.ToDictionary<string, string, string?>(
                static key => key, static _ => "1", StringComparer.OrdinalIgnoreCase);

        public int Asked { get; set; }

        public IConfigurationProvider Build(IConfigurationBuilder builder) => this;

        public override IEnumerable<string> GetChildKeys(IEnumerable<string> earlierKeys, string? parentPath)
        {
            Asked++;
            return base.GetChildKeys(earlierKeys, parentPath);
        }
    }
}
