using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Tests.Hosting;

public sealed class SimulatedPluginTests
{
    [Fact]
    public void Host_PluginByConfigurationAlone_IsThatMachine()
    {
        using var root = new TemporaryFolder();
        var own = typeof(SimulatedMachine).Assembly.Location;
        var assembly = Path.Combine("plugins", Path.GetFileName(own));
        Directory.CreateDirectory(root.PathOf("plugins"));
        File.Copy(own, root.PathOf(assembly));
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings { ContentRootPath = root.Path });
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Numa:Plugins:0:Assembly"] = assembly,
            ["Numa:Topology:Provider"] = "Simulated",
            ["Numa:Simulated:Preset"] = "Cxl",
        });
        builder.AddNuma();
        using var host = builder.Build();
        var platform = host.Services.GetRequiredService<NumaPlatform>();
        Assert.Equal(3, host.Services.GetRequiredService<NumaTopology>().NodeCount);
        Assert.Equal(("Simulated", "Simulated"), (platform.Memory.Name, platform.Affinity.Name));
        Assert.NotSame(typeof(SimulatedMachine).Assembly, platform.Memory.GetType().Assembly);
    }
}
