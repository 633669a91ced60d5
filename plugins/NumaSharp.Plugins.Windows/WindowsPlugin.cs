using NumaSharp.Core;
using NumaSharp.Plugins.Windows;

[assembly: NumaPlugin(typeof(WindowsPlugin))]

namespace NumaSharp.Plugins.Windows;

/// <summary>The entry for <c>Numa:Plugins</c>.</summary>
internal sealed class WindowsPlugin : INumaPlugin
{
    public void Register(INumaBuilder builder) => builder.AddWindows();
}
