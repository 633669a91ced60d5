using System.Diagnostics.CodeAnalysis;
using NumaSharp.Core.Plugins;

namespace NumaSharp.Core;

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
