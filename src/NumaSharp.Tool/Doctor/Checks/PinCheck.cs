using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>sched_setaffinity(2), or the system's equivalent, is refused: threads run anywhere.</summary>
internal sealed class PinCheck() : DoctorCheck("pinning-refused")
{
    public override bool NeedsProbe => true;

    public override IEnumerable<Finding> Examine(Patient patient)
    {
        if (patient.Plan.IsEnabled && patient.Probe is { } probe && probe.TryPin() is { Succeeded: false } result)
        {
            yield return Found(
                Severity.Warning,
                $"Threads cannot be pinned: {result}. They run on any CPU that the process may use.",
                probe.IsLinux
                    ? "Allow sched_setaffinity in the seccomp profile."
                    : "See the system's documentation for this error when it sets the affinity of a thread.",
                new Evidence(
                    probe.IsLinux ? "sched_setaffinity" : nameof(INumaAffinityProvider.SetThreadCpus), result.ToString()));
        }
    }
}
