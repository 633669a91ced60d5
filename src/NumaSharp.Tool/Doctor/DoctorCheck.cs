namespace NumaSharp.Tool.Doctor;

/// <summary>One thing that may hurt. A check looks at a patient and touches nothing.</summary>
internal abstract class DoctorCheck(string id)
{
    /// <summary>Stable, lower case with hyphens (docs/reference/doctor.md).</summary>
    public string Id { get; } = id;

    /// <summary>Whether it asks the running system, not only files: it is left out with <c>--root</c>.</summary>
    public virtual bool NeedsProbe => false;

    public abstract IEnumerable<Finding> Examine(Patient patient);

    protected Finding Found(Severity severity, string problem, string advice, params Evidence[] evidence) =>
        new(Id, severity, problem, evidence, advice);
}
