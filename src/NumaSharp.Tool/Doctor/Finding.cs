namespace NumaSharp.Tool.Doctor;

/// <summary>A problem, its evidence, and what to do.</summary>
/// <param name="Id">Stable (docs/reference/doctor.md).</param>
/// <param name="Severity">How severe it is.</param>
/// <param name="Problem">One sentence.</param>
/// <param name="Evidence">Files, calls or variables with their values.</param>
/// <param name="Advice">A command or a setting.</param>
internal sealed record Finding(
    string Id, Severity Severity, string Problem, IReadOnlyList<Evidence> Evidence, string Advice);
