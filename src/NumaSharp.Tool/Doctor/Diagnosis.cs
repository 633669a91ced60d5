namespace NumaSharp.Tool.Doctor;

/// <summary>The findings, worst first, and the checks that were not run.</summary>
/// <param name="Findings">The findings.</param>
/// <param name="LeftOut">The ids of checks that need the running system, if only files are available.</param>
internal sealed record Diagnosis(IReadOnlyList<Finding> Findings, IReadOnlyList<string> LeftOut)
{
    public static Diagnosis Of(CheckContext context)
    {
        var runnable = DoctorChecks.All.Where(check => context.Probe is not null || !check.NeedsProbe).ToArray();
        return new Diagnosis(
            [.. runnable.SelectMany(check => check.Examine(context)).OrderByDescending(static finding => finding.Severity)],
            [.. DoctorChecks.All.Except(runnable).Select(static check => check.Id)]);
    }

    /// <summary>Whether any finding is at least as severe; false for <see langword="null"/>.</summary>
    public bool IsAtLeast(Severity? threshold) => Findings.Any(finding => finding.Severity >= threshold);
}
