using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;

namespace NumaSharp.Core;

/// <summary>A plugin's settings are wrong. The host ends its start with one line per problem.</summary>
[Experimental(NumaDiagnostics.PluginContract)]
public sealed class NumaSettingException : NumaException
{
    /// <summary>Creates it.</summary>
    /// <param name="problems">All that is wrong, at least one.</param>
    public NumaSettingException(IEnumerable<NumaSettingProblem> problems)
        : this([.. problems])
    {
    }

    private NumaSettingException(ImmutableArray<NumaSettingProblem> problems)
        : base(string.Join(Environment.NewLine, problems)) => Problems = problems;

    /// <summary>All that is wrong.</summary>
    public IReadOnlyList<NumaSettingProblem> Problems { get; }
}

/// <summary>What is wrong with a setting of a plugin.</summary>
[Experimental(NumaDiagnostics.PluginContract)]
public sealed record NumaSettingProblem
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="key"><see cref="Key"/></param>
    /// <param name="value"><see cref="Value"/></param>
    /// <param name="reason"><see cref="Reason"/></param>
    public NumaSettingProblem(string key, string value, string reason)
    {
        Key = key;
        Value = value;
        Reason = reason;
    }

    /// <summary>The key below <c>Numa</c>, such as <c>Simulated:Nodes:0:Cpus</c>.</summary>
    public string Key { get; init; }

    /// <summary>Its value.</summary>
    public string Value { get; init; }

    /// <summary>What is allowed, without a full stop: <c>must be a kernel list such as '0-3,8'</c>.</summary>
    public string Reason { get; init; }

    /// <summary>The problem in one line.</summary>
    /// <returns>The line.</returns>
    public override string ToString() => $"Numa:{Key} = '{Value}': {Reason}";
}
