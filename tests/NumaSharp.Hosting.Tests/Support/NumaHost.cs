using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Tests.Support;

/// <summary>Hosts whose only configuration is what a test gives.</summary>
internal static class NumaHost
{
    public static HostApplicationBuilder CreateBuilder(params (string Key, string? Value)[] settings)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Configuration.AddInMemoryCollection(settings.Select(static setting =>
            KeyValuePair.Create("Numa:" + setting.Key, setting.Value)));
        builder.ConfigureContainer(new DefaultServiceProviderFactory(
            new ServiceProviderOptions { ValidateOnBuild = true, ValidateScopes = true }));
        return builder;
    }

    /// <summary>A host on the fake machine, which the settings may still overrule.</summary>
    public static IHost Create(FakePlatform platform, params (string Key, string? Value)[] settings)
    {
        var builder = CreateBuilder([("Topology:Provider", platform.Name), .. settings]);
        builder.AddNuma(numa => numa.AddPlatform(platform));
        return builder.Build();
    }

    public static INumaBuilder AddPlatform(this INumaBuilder builder, FakePlatform platform) => builder
        .AddTopologyProvider(platform)
        .AddMemoryProvider(platform)
        .AddAffinityProvider(platform);

    public static LogRecorder RecordLogs(this IHostApplicationBuilder builder)
    {
        var recorder = new LogRecorder();
        builder.Logging.AddProvider(recorder);
        return recorder;
    }
}
