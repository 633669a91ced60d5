using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>sched_setaffinity(2), or the system's equivalent, is refused: threads run anywhere.</summary>
internal sealed class PinCheck() : DoctorCheck("pinning-refused")
{
    public override bool NeedsProbe => true;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Plan.IsEnabled && context.Probe is { } probe && probe.TryPin() is { Succeeded: false } result)
        {
            yield return Found(
                Severity.Warning,
                $"Threads cannot be pinned: {result}. {FallbackCatalog.AffinityPin.Effect}",
                probe.IsLinux
                    ? FallbackCatalog.AffinityPin.Remedy
                    : "See the system's documentation for this error when it sets the affinity of a thread.",
                new Evidence(
                    probe.IsLinux ? "sched_setaffinity" : nameof(INumaAffinityProvider.SetThreadCpus), result.ToString()));
        }
    }
}
