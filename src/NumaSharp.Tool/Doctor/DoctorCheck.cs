namespace NumaSharp.Tool.Doctor;

/// <summary>One possible problem. A check reads a context and changes nothing.</summary>
internal abstract class DoctorCheck(string id)
{
    /// <summary>Stable, lower case with hyphens (docs/reference/doctor.md).</summary>
    public string Id { get; } = id;

    /// <summary>Whether it queries the running system, not only files: skipped with <c>--root</c>.</summary>
    public virtual bool NeedsProbe => false;

    public abstract IEnumerable<Finding> Examine(CheckContext context);

    protected Finding Found(Severity severity, string problem, string advice, params Evidence[] evidence) =>
        new(Id, severity, problem, evidence, advice);
}
