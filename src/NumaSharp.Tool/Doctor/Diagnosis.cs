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

/// <summary>A problem, its evidence, and what to do.</summary>
/// <param name="Id">Stable (docs/reference/doctor.md).</param>
/// <param name="Severity">How severe it is.</param>
/// <param name="Problem">One sentence.</param>
/// <param name="Evidence">Files, calls or variables with their values.</param>
/// <param name="Advice">A command or a setting.</param>
internal sealed record Finding(
    string Id, Severity Severity, string Problem, IReadOnlyList<Evidence> Evidence, string Advice);

/// <summary>The evidence of a problem.</summary>
/// <param name="Source">A file, a system call or a variable.</param>
/// <param name="Value">Its value.</param>
internal sealed record Evidence(string Source, string Value);

/// <summary>How severe a finding is.</summary>
internal enum Severity
{
    /// <summary>Good to know.</summary>
    Info,

    /// <summary>Costs throughput or tail latency.</summary>
    Warning,

    /// <summary>The settings cannot be applied.</summary>
    Error,
}
