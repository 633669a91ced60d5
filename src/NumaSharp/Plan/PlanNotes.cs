using System.Collections.Immutable;

namespace NumaSharp.Core.Planning;

/// <summary>Why a plan is as it is, in the order in which it was decided.</summary>
internal sealed class PlanNotes
{
    private readonly List<string> _lines = [];

    public void Add(string line) => _lines.Add(line);

    /// <summary>A note about CPUs, when there are any.</summary>
    public void AddFor(CpuSet cpus, string what)
    {
        if (!cpus.IsEmpty)
        {
            _lines.Add($"CPUs {cpus} {what}");
        }
    }

    public ImmutableArray<string> ToLines() => [.. _lines];
}
