using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Tests.Hosting;

/// <summary>Hosts on a simulated machine whose only configuration is what a test gives.</summary>
internal static class SimulatedHost
{
    public static IHost Create(Action<INumaBuilder> configure, params (string Key, string Value)[] settings)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Configuration.AddInMemoryCollection(
            settings.Prepend(("Scheduler:ThreadsPerNode", "1")).Select(static setting =>
                KeyValuePair.Create<string, string?>("Numa:" + setting.Item1, setting.Item2)));
        builder.AddNuma(configure);
        return builder.Build();
    }
}
