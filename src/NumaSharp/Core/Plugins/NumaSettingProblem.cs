using System.Diagnostics.CodeAnalysis;
using NumaSharp.Core.Plugins;

namespace NumaSharp.Core;

/// <summary>What is wrong with a setting of a plugin.</summary>
/// <param name="Key">The key below <c>Numa</c>, such as <c>Simulated:Nodes:0:Cpus</c>.</param>
/// <param name="Value">Its value.</param>
/// <param name="Reason">What is allowed, without a full stop: <c>must be a kernel list such as '0-3,8'</c>.</param>
[Experimental(NumaDiagnostics.PluginContract)]
public sealed record NumaSettingProblem(string Key, string Value, string Reason)
{
    /// <summary>The problem in one line.</summary>
    /// <returns>The line.</returns>
    public override string ToString() => $"Numa:{Key} = '{Value}': {Reason}";
}
