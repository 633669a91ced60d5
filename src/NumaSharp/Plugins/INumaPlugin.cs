using System.Diagnostics.CodeAnalysis;

namespace NumaSharp.Core;

/// <summary>
/// The entry point of an assembly that <c>Numa:Plugins</c> names. <see cref="NumaPluginAttribute"/> names the type, which has a
/// public constructor without parameters.
/// </summary>
[Experimental(NumaDiagnostics.PluginContract)]
public interface INumaPlugin
{
    /// <summary>Registers the plugin's providers; called once per host, when it starts.</summary>
    /// <param name="builder">
    /// The plugin's own services, not the application's. The host has put <see cref="NumaFallbacks"/>, the plugin's
    /// <see cref="NumaPluginSettings"/> (keyed by section), logging and configuration among them.
    /// </param>
    void Register(INumaBuilder builder);
}

/// <summary>Names the type that is the entry point of a plugin assembly.</summary>
/// <param name="pluginType">Implements <see cref="INumaPlugin"/>; with a public constructor without parameters.</param>
[AttributeUsage(AttributeTargets.Assembly)]
[Experimental(NumaDiagnostics.PluginContract)]
public sealed class NumaPluginAttribute(
    [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] Type pluginType) : Attribute
{
    /// <summary>The type.</summary>
    [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)]
    public Type PluginType { get; } = pluginType;
}
