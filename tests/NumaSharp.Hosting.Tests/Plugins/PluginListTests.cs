using System.Security.Cryptography;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Plugins;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Plugins;

/// <summary>Several items of <c>Numa:Plugins</c>, and options that are made several times.</summary>
public sealed class PluginListTests : IDisposable
{
    private readonly ContentRoot _root = new();

    public void Dispose() => _root.Dispose();

    [Fact]
    public void List_WithKeysLeftOut_NamesTheKeyThatIsConfigured() => Assert.Equal(
        ["Numa:Plugins:4:Assembly", "Numa:Plugins:7:Sha256"],
        KeysOfFailures(
            ("Plugins:2:Assembly", _root.AddAcme()),
            ("Plugins:4:Assembly", "plugins/nope.dll"),
            ("Plugins:7:Assembly", _root.AddAcme(Path.Combine("plugins", "other"))),
            ("Plugins:7:Sha256", new string('a', 64))));

    [Fact]
    public void List_ItemWithoutAssembly_NamesTheKeyThatIsConfigured() => Assert.Equal(
        ["Numa:Plugins:3:Assembly"],
        KeysOfFailures(("Plugins:0:Assembly", _root.AddAcme()), ("Plugins:3:Sha256", new string('a', 64))));

    [Fact]
    public void List_BothKeysOfAnItem_AreOneItem()
    {
        var assembly = _root.AddAcme();
        var hash = Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(_root.PathOf(assembly))));
        using var host = PluginHost.Create(_root, ("Plugins:5:Assembly", assembly), ("Plugins:5:Sha256", hash));
        var item = Assert.Single(host.Services.GetRequiredService<IOptions<NumaOptions>>().Value.Plugins);
        Assert.Equal((assembly, hash), (item.Assembly, item.Sha256));
    }

    [Theory]
    [InlineData("plugins/Acme.Numa.dll")]
    [InlineData("plugins/./Acme.Numa.dll")]
    [InlineData("./plugins/nested/../Acme.Numa.dll")]
    public void List_OneFileTwice_NamesTheSecond(string spelling)
    {
        using var host = PluginHost.Create(_root, ("Plugins:0:Assembly", _root.AddAcme()), ("Plugins:1:Assembly", spelling));
        Assert.Equal(
            $"Numa:Plugins:1:Assembly = '{spelling}': is named more than once; name each file once",
            Assert.Single(FailuresOf(host)));
    }

    [Fact]
    public void List_OneFileTwiceByALink_NamesTheSecond()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Links need a privilege on Windows.");
        var assembly = _root.AddAcme();
        File.CreateSymbolicLink(_root.PathOf("plugins", "link.dll"), _root.PathOf(assembly));
        using var host = PluginHost.Create(_root, ("Plugins:0:Assembly", assembly), ("Plugins:1:Assembly", "plugins/link.dll"));
        Assert.StartsWith(
            "Numa:Plugins:1:Assembly = 'plugins/link.dll': is named more than once",
            Assert.Single(FailuresOf(host)),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Load_Again_IsTheSamePluginHoweverItIsSpelled()
    {
        var assembly = _root.AddAcme();
        var hash = Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(_root.PathOf(assembly))));
        var services = new PluginServices(new NumaSection(null), new NumaFallbacks(), NullLoggerFactory.Instance, null);
        using var catalog = new PluginCatalog(new PluginLoader(new PluginFolder(_root.Root), services, canLoadCode: true));
        var first = Assert.Single(catalog.Load([new NumaPluginOptions { Assembly = assembly }]).Plugins);
        Assert.Same(first, Assert.Single(catalog.Load([new NumaPluginOptions { Assembly = _root.PathOf(assembly) }]).Plugins));
        Assert.Same(first, Assert.Single(catalog.Load([new NumaPluginOptions { Assembly = assembly, Sha256 = hash }]).Plugins));
        var other = catalog.Load([new NumaPluginOptions { Assembly = assembly, Sha256 = new string('0', 64) }]);
        Assert.Empty(other.Plugins);
        Assert.Equal("Plugins:0:Sha256", Assert.Single(other.Failures).Path);
    }

    private static IEnumerable<string> FailuresOf(IHost host) => Assert.ThrowsAny<OptionsValidationException>(
        () => host.Services.GetRequiredService<IOptions<NumaOptions>>().Value).Failures;

    private IEnumerable<string> KeysOfFailures(params (string Key, string? Value)[] settings)
    {
        using var host = PluginHost.Create(_root, settings);
        return [.. FailuresOf(host).Select(static failure => failure[..failure.IndexOf(' ', StringComparison.Ordinal)])];
    }
}
