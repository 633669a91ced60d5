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
        var root = Directory.CreateTempSubdirectory("numa-simulated-");
        try
        {
            var own = typeof(SimulatedMachine).Assembly.Location;
            File.Copy(own, Path.Combine(root.CreateSubdirectory("plugins").FullName, Path.GetFileName(own)));
            var builder = Host.CreateEmptyApplicationBuilder(
                new HostApplicationBuilderSettings { ContentRootPath = root.FullName });
            builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
            {
                ["Numa:Plugins:0:Assembly"] = Path.Combine("plugins", Path.GetFileName(own)),
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
        finally
        {
            root.Delete(recursive: true);
        }
    }
}
