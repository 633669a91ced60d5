using System.Runtime.Loader;
using System.Security.Cryptography;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Plugins;

/// <summary>The sample plugin of a third party, built on its own, in a real host.</summary>
public sealed class PluginLoadingTests : IDisposable
{
    private readonly ContentRoot _root = new();

    public void Dispose() => _root.Dispose();

    [Fact]
    public async Task Host_PluginNamedBySettings_ReadsItsMachine()
    {
        using var host = PluginHost.Create(
            _root,
            ("Plugins:0:Assembly", _root.AddAcme()), ("Topology:Provider", "acme"), ("Acme:Nodes", "3"),
            ("Memory:Provider", "SingleNode"), ("Affinity:Provider", "SingleNode"));
        await host.StartAsync(TestContext.Current.CancellationToken);
        var topology = host.Services.GetRequiredService<NumaTopology>();
        Assert.Equal(("Acme F7", 3), (topology.Source, topology.NodeCount));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public void Plugin_HasAContextOfItsOwnAndSharesTheContracts()
    {
        var assembly = _root.AddAcme();
        Assert.True(File.Exists(_root.PathOf("plugins", "NumaSharp.dll")), "A copy of the contracts lies beside the plugin.");
        using var host = PluginHost.Create(_root, ("Plugins:0:Assembly", assembly), ("Topology:Provider", "Acme"));
        var provider = host.Services.GetRequiredService<NumaPlatform>().Topology;
        var context = AssemblyLoadContext.GetLoadContext(provider.GetType().Assembly)!;
        Assert.Equal("NumaSharp plugin Acme.Numa.dll", context.Name);
        provider.Read();
        Assert.Equal(["Acme.Firmware", "Acme.Numa"], context.Assemblies.Select(static a => a.GetName().Name).Order());
        Assert.DoesNotContain(
            AssemblyLoadContext.Default.Assemblies, static a => a.GetName().Name!.StartsWith("Acme", StringComparison.Ordinal));
    }

    [Fact]
    public void Plugin_HashThatFits_IsLoaded()
    {
        var assembly = _root.AddAcme();
        var hash = Convert.ToHexStringLower(SHA256.HashData(File.ReadAllBytes(_root.PathOf(assembly))));
        using var host = PluginHost.Create(
            _root, ("Plugins:0:Assembly", assembly), ("Plugins:0:Sha256", hash), ("Topology:Provider", "Acme"));
        Assert.Equal("Acme F7", host.Services.GetRequiredService<NumaTopology>().Source);
    }

    [Fact]
    public void Plugin_FileChangedAfterItWasHashed_IsRefused()
    {
        var assembly = _root.AddAcme();
        var hash = Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(_root.PathOf(assembly))));
        File.AppendAllText(_root.PathOf(assembly), "x");
        var changed = Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(_root.PathOf(assembly))));
        Assert.Equal(
            $"Numa:Plugins:0:Sha256 = '{hash}': must be the SHA-256 of the assembly, which is {changed}",
            PluginHost.RefusalOf(_root, assembly, ("Plugins:0:Sha256", hash)));
    }

    [Fact]
    public async Task Plugin_ItsSection_IsNoUnknownKey()
    {
        var builder = PluginHost.CreateBuilder(
            _root,
            ("Plugins:0:Assembly", _root.AddAcme()), ("Topology:Provider", "Acme"), ("Acme:Nodes", "1"), ("Acmee:Nodes", "1"),
            ("Memory:Provider", "SingleNode"), ("Affinity:Provider", "SingleNode"));
        var logs = builder.RecordLogs();
        builder.AddNuma();
        using var host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        Assert.StartsWith("Unknown setting Numa:Acmee:Nodes", Assert.Single(logs.TextsOf(702)), StringComparison.Ordinal);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public void Plugin_ItsSettingsAreWrong_NamesTheirKeys()
    {
        using var host = PluginHost.Create(
            _root, ("Plugins:0:Assembly", _root.AddAcme()), ("Acme:Nodes", "9"), ("Acme:Node", "1"));
        var failures = Assert.ThrowsAny<OptionsValidationException>(
            () => host.Services.GetRequiredService<IOptions<NumaOptions>>().Value).Failures;
        Assert.Equal(
            ["Numa:Acme:Node = '1': is not a known key; known is Nodes", "Numa:Acme:Nodes = '9': must be an integer from 1 to 8"],
            failures);
    }

    [Fact]
    public void Plugin_ConfigurationThatComesAfterAddNuma_Counts()
    {
        var builder = PluginHost.CreateBuilder(_root);
        builder.AddNuma();
        builder.Configuration.AddInMemoryCollection(
        [
            KeyValuePair.Create<string, string?>("Numa:Plugins:0:Assembly", _root.AddAcme()),
            KeyValuePair.Create<string, string?>("Numa:Topology:Provider", "Acme"),
        ]);
        using var host = builder.Build();
        Assert.Equal("Acme F7", host.Services.GetRequiredService<NumaTopology>().Source);
    }

    [Fact]
    public void Plugin_NamedInCode_IsLoaded()
    {
        var assembly = _root.AddAcme();
        var builder = PluginHost.CreateBuilder(_root, ("Topology:Provider", "Acme"));
        builder.AddNuma(numa => numa.Configure(options => options.Plugins.Add(new NumaPluginOptions { Assembly = assembly })));
        using var host = builder.Build();
        Assert.Equal(2, host.Services.GetRequiredService<NumaTopology>().NodeCount);
    }

    [Fact]
    public void Plugin_TwiceOfTheSameName_IsRefused()
    {
        _root.AddAcme(Path.Combine("plugins", "other"));
        var refusal = PluginHost.RefusalOf(
            _root, _root.AddAcme(), ("Plugins:1:Assembly", Path.Combine("plugins", "other", "Acme.Numa.dll")));
        Assert.StartsWith(
            "Numa:Topology:Provider = 'Auto': 2 providers are registered as 'Acme'", refusal, StringComparison.Ordinal);
    }
}
