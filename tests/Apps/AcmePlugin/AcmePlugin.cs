using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;

[assembly: NumaPlugin(typeof(Acme.Numa.AcmePlugin))]

namespace Acme.Numa;

/// <summary>A plugin as a third party writes it: an entry, a section of settings, a provider.</summary>
public sealed class AcmePlugin : INumaPlugin
{
    public const string Name = "Acme";

    public void Register(INumaBuilder builder) => builder
        .AddSettings(Name)
        .AddTopologyProvider(static services =>
            new AcmeTopologyProvider(AcmeSettings.From(services.GetRequiredKeyedService<NumaPluginSettings>(Name))));
}
