using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace NumaSharp.Hosting.Tests.Plugins;

internal static class PluginHost
{
    public static HostApplicationBuilder CreateBuilder(ContentRoot root, params (string Key, string? Value)[] settings)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { ContentRootPath = root.Root });
        builder.Configuration.AddInMemoryCollection(settings.Select(static setting =>
            KeyValuePair.Create("Numa:" + setting.Key, setting.Value)));
        return builder;
    }

    public static IHost Create(ContentRoot root, params (string Key, string? Value)[] settings)
    {
        var builder = CreateBuilder(root, settings);
        builder.AddNuma();
        return builder.Build();
    }

    /// <summary>The one reason why a host with a plugin does not start.</summary>
    public static string RefusalOf(ContentRoot root, string assembly, params (string Key, string? Value)[] settings)
    {
        using var host = Create(root, [("Plugins:0:Assembly", assembly), .. settings]);
        return Assert.Single(Assert.ThrowsAny<OptionsValidationException>(
            () => host.Services.GetRequiredService<IOptions<NumaOptions>>().Value).Failures);
    }
}
