namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>move_pages(2) is refused: nobody can tell where pages are.</summary>
internal sealed class QueryNodeCheck() : DoctorCheck("move-pages-refused")
{
    public override bool NeedsProbe => true;

    public override IEnumerable<Finding> Examine(Patient patient)
    {
        if (patient.Plan.IsEnabled && patient.Probe?.TryQueryNode() is { Succeeded: false } result)
        {
            yield return Found(
                Severity.Info,
                $"The node of a page cannot be asked for: {result}. Nothing depends on it but the pages and tools that show it.",
                "In a container: --cap-add SYS_NICE, or a seccomp profile that allows move_pages.",
                new Evidence("move_pages", result.ToString()));
        }
    }
}
