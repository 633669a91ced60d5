using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NumaSharp.Core;

namespace NumaSharp.Plugins.Windows.Tests;

public sealed class WindowsBuilderExtensionsTests
{
    [Fact]
    public void AddWindows_Twice_RegistersThreeProvidersOnce()
    {
        var builder = Host.CreateApplicationBuilder();
        builder.AddNuma().AddWindows().AddWindows();
        using var host = builder.Build();

        Assert.Equal("Windows", Assert.Single(host.Services.GetServices<INumaTopologyProvider>()).Name);
        Assert.Equal("Windows", Assert.Single(host.Services.GetServices<INumaMemoryProvider>()).Name);
        Assert.Equal("Windows", Assert.Single(host.Services.GetServices<INumaAffinityProvider>()).Name);
    }

    [Fact]
    public void AddWindows_OffWindows_ChangesNothing()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "This is Windows.");
        var builder = Host.CreateApplicationBuilder();
        builder.AddNuma().AddWindows();
        using var host = builder.Build();
        Assert.NotEqual("Windows", host.Services.GetRequiredService<NumaTopology>().Source);
    }

    [Fact]
    public async Task AddWindows_SelectedOffWindows_EndsTheStartWithTheReason()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "This is Windows.");
        var builder = Host.CreateApplicationBuilder(["--Numa:Topology:Provider=Windows"]);
        builder.AddNuma().AddWindows();
        using var host = builder.Build();
        var exception = await Assert.ThrowsAnyAsync<OptionsValidationException>(() => host.StartAsync());
        Assert.Contains("Numa:Topology:Provider = 'Windows'", exception.Message, StringComparison.Ordinal);
        Assert.Contains("this system is not Windows", exception.Message, StringComparison.Ordinal);
    }
}
