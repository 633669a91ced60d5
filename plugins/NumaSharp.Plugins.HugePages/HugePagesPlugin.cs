using NumaSharp.Core;
using NumaSharp.Plugins.HugePages;

[assembly: NumaPlugin(typeof(HugePagesPlugin))]

namespace NumaSharp.Plugins.HugePages;

/// <summary>The entry for <c>Numa:Plugins</c>.</summary>
internal sealed class HugePagesPlugin : INumaPlugin
{
    public void Register(INumaBuilder builder) => builder.AddHugePages();
}
