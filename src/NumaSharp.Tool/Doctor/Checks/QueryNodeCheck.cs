using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>move_pages(2), or the system's equivalent, is refused: the node of a page is unknown.</summary>
internal sealed class QueryNodeCheck() : DoctorCheck("move-pages-refused")
{
    public override bool NeedsProbe => true;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Plan.IsEnabled && context.Probe is { } probe && probe.TryQueryNode() is { Succeeded: false } result)
        {
            yield return Found(
                Severity.Info,
                $"The node of a page cannot be queried: {result}. Only tools and pages that show it are affected.",
                probe.IsLinux
                    ? "In a container: a seccomp profile that allows move_pages; those of Docker and containerd do not, "
                    + "even with SYS_NICE."
                    : "See the system's documentation for this error when it queries the node of a page.",
                new Evidence(probe.IsLinux ? "move_pages" : nameof(INumaMemoryProvider.QueryNode), result.ToString()));
        }
    }
}
