using NumaSharp.Tool.Doctor.Checks;

namespace NumaSharp.Tool.Doctor;

/// <summary>All checks, in the order of their findings within a severity.</summary>
internal static class DoctorChecks
{
    public static IReadOnlyList<DoctorCheck> All { get; } =
    [
        new SingleNodeCheck(),
        new NumaOffCheck(),
        new TopologyWarningsCheck(),
        new BindCheck(),
        new PinCheck(),
        new QueryNodeCheck(),
        new CpusetCheck(),
        new ForbiddenMemoryCheck(),
        new FreeMemoryCheck(),
        new IsolatedCpusCheck(),
        new NetworkNodeCheck(),
        new InterruptsCheck(),
        new SoftirqCheck(),
        new NumaBalancingCheck(),
        new ZoneReclaimCheck(),
        new DemotionCheck(),
        new TransparentHugePagesCheck(),
        new OvercommitCheck(),
        new GovernorCheck(),
        new BacklogCheck(),
        new GcApplicationCheck(),
        new GcServerCheck(),
        new GcDynamicCheck(),
        new GcAffinityCheck(),
        new GcHeapCountCheck(),
        new GcNumaCheck(),
        new GcMemoryLimitCheck(),
        new GcCpuMaskCheck(),
        new MeasuredPinningCheck(),
        new MeasuredMemoryCheck(),
        new KubernetesPodCheck(),
        new KubernetesCpusCheck(),
        new KubernetesMemoryCheck(),
        new KubernetesQuotaCheck(),
    ];
}

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
