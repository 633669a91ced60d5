using System.Runtime.Loader;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Plugins;

/// <summary>Settings for a plugin that is not loaded: one switch must be enough to start without it.</summary>
public sealed class PluginOffTests : IDisposable
{
    private readonly ContentRoot _root = new();

    public void Dispose() => _root.Dispose();

    [Fact]
    public async Task Host_Off_LoadsNoPluginAndMissesNone()
    {
        var logs = await RunAsync(
            ("Enabled", "false"),
            ("Plugins:0:Assembly", _root.Add("NeverLoaded.dll", EmittedPlugin.WhoseConstructorThrows())),
            ("Plugins:1:Assembly", "plugins/gone.dll"), ("Plugins:1:Sha256", new string('a', 64)),
            ("Topology:Provider", "Acme"), ("Memory:Provider", "Acme"), ("Affinity:Provider", "Acme"),
            ("Acme:Nodes", "not a number"), ("Transport:Backlgo", "1"));
        Assert.Contains("disabled: nothing pinned or bound", Assert.Single(logs.TextsOf(700)), StringComparison.Ordinal);
        Assert.StartsWith(
            "Unknown setting Numa:Transport:Backlgo", Assert.Single(logs.TextsOf(702)), StringComparison.Ordinal);
        Assert.DoesNotContain(
            AssemblyLoadContext.All, static context => context.Name!.EndsWith("NeverLoaded.dll", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Host_OffWithoutPlugins_ReportsUnknownSections()
    {
        var logs = await RunAsync(("Enabled", "false"), ("Acme:Nodes", "1"));
        Assert.StartsWith("Unknown setting Numa:Acme:Nodes", Assert.Single(logs.TextsOf(702)), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Host_OffWithHugePagesOfAPlugin_Starts()
    {
        var logs = await RunAsync(("Enabled", "false"), ("Memory:HugePages", "2MiB"), ("Memory:Provider", "Acme"));
        Assert.Single(logs.TextsOf(700));
    }

    [Fact]
    public void FindUnknownNumaKeys_PlatformChosenInCode_LeavesThePluginsSectionAlone()
    {
        var builder = PluginHost.CreateBuilder(
            _root, ("Plugins:0:Assembly", _root.AddAcme()), ("Acme:Nodes", "1"), ("Enable", "true"));
        builder.AddNuma(static numa => numa.UsePlatform(NumaHost.TwoNodes().Platform));
        using var host = builder.Build();
        Assert.Equal("Numa:Enable", Assert.Single(host.Services.FindUnknownNumaKeys()).Key);
    }

    [Fact]
    public void FindUnknownNumaKeys_BeforeAnythingElseWasAsked_KnowsThePluginsSection()
    {
        using var host = PluginHost.Create(_root, ("Plugins:0:Assembly", _root.AddAcme()), ("Acme:Nodes", "1"));
        Assert.Empty(host.Services.FindUnknownNumaKeys());
    }

    private async Task<RecordingLog> RunAsync(params (string Key, string? Value)[] settings)
    {
        var builder = PluginHost.CreateBuilder(_root, settings);
        var logs = builder.RecordLogs();
        builder.AddNuma();
        using var host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        await host.StopAsync(TestContext.Current.CancellationToken);
        return logs;
    }
}
