using System.Text;
using Microsoft.Extensions.Configuration;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Configuration;

public sealed class SettingSourceTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Describe_ValuesOfSeveralSources_NamesEach()
    {
        File.WriteAllText(
            Path.Combine(_folder.Path, "appsettings.json"),
            """{ "Numa": { "Transport": { "Backlog": "many", "NoDelay": "maybe" }, "Binding": { "Nodes": [0] } } }""");
        File.WriteAllText(
            Path.Combine(_folder.Path, "appsettings.Production.json"),
            """{ "Numa": { "Transport": { "NoDelay": "perhaps" } } }""");
        var configuration = new ConfigurationBuilder()
            .SetBasePath(_folder.Path)
            .AddJsonFile("appsettings.json")
            .AddJsonFile("appsettings.Production.json")
            .AddCommandLine(["--Numa:Scheduler:ThreadsPerNode=none"])
            .AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes("""{ "Numa": { "Scheduler": { "Spin": 3 } } }""")))
            .AddInMemoryCollection([KeyValuePair.Create<string, string?>("Numa:Transport:KeepAlive", "?")])
            .Build();

        Assert.Equal(
            [
                "Numa:Binding:Nodes = '...' (appsettings.json): must be a kernel list such as '0-3,8', not an object or an array",
                "Numa:Scheduler:Spin = '3' (JsonStreamConfigurationProvider): must be one of Adaptive, LowLatency, LowCpu",
                "Numa:Scheduler:ThreadsPerNode = 'none' (command line): must be an integer from 0 to 4096",
                "Numa:Transport:Backlog = 'many' (appsettings.json): must be an integer from 1 to 65535",
                "Numa:Transport:KeepAlive = '?': must be true or false",
                "Numa:Transport:NoDelay = 'perhaps' (appsettings.Production.json): must be true or false",
            ],
            FailuresOf(configuration).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Describe_ConfigurationInAnother_NamesTheSourceThere()
    {
        var inner = new ConfigurationBuilder().AddCommandLine(["--Numa=fast"]).Build();
        var configuration = new ConfigurationBuilder().AddConfiguration(inner).Build();
        Assert.StartsWith("Numa = 'fast' (command line): ", Assert.Single(FailuresOf(configuration)), StringComparison.Ordinal);
    }

    [Fact]
    public void Describe_ValueInOtherUnitsThanWritten_IsAsWritten()
    {
        var configuration = new ConfigurationBuilder().AddCommandLine(["--Numa:Memory:PoolSizePerNode=2048MiB"]).Build();
        var section = new NumaSection(configuration.GetSection("Numa"), configuration);
        Assert.Equal(
            "Numa:Memory:PoolSizePerNode = '2048MiB' (command line): too much",
            section.Describe(new SettingFailure("Memory:PoolSizePerNode", "2GiB", "too much")));
    }

    [Fact]
    public void Describe_ValueThatCodeHasSet_HasNoSource()
    {
        var configuration = new ConfigurationBuilder().AddCommandLine(["--Numa:Transport:Backlog=7"]).Build();
        var section = new NumaSection(configuration.GetSection("Numa"), configuration);
        Assert.Equal(
            "Numa:Transport:Backlog = '-1': no", section.Describe(new SettingFailure("Transport:Backlog", "-1", "no")));
    }

    [Fact]
    public void Describe_ConfigurationThatIsNoRoot_NamesTheKeyAlone()
    {
        var configuration = new ConfigurationBuilder().AddCommandLine(["--My:Numa:Enabled=maybe"]).Build().GetSection("My");
        var section = new NumaSection(configuration.GetSection("Numa"), configuration);
        Assert.Equal(
            "My:Numa:Enabled = 'maybe': must be true or false",
            section.Describe(Assert.Single(section.Bind(new NumaOptions()))));
    }

    private static IEnumerable<string> FailuresOf(IConfigurationRoot configuration)
    {
        var section = new NumaSection(configuration.GetSection("Numa"), configuration);
        return section.Bind(new NumaOptions()).Select(section.Describe);
    }
}
