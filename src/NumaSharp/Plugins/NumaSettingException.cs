using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using NumaSharp.Core.Plugins;

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
