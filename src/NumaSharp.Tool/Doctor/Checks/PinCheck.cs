namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>sched_setaffinity(2) is refused: threads run anywhere.</summary>
internal sealed class PinCheck() : DoctorCheck("pinning-refused")
{
    public override bool NeedsProbe => true;

    public override IEnumerable<Finding> Examine(Patient patient)
    {
        if (patient.Plan.IsEnabled && patient.Probe?.TryPin() is { Succeeded: false } result)
        {
            yield return Found(
                Severity.Warning,
                $"Threads cannot be pinned: {result}. They run on any CPU that the process may use.",
                "Allow sched_setaffinity in the seccomp profile.",
                new Evidence("sched_setaffinity", result.ToString()));
        }
    }
}
