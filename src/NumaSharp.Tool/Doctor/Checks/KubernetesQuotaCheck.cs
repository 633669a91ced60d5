using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The container has been throttled for using up its quota.</summary>
internal sealed class KubernetesQuotaCheck() : DoctorCheck("kubernetes-throttled")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Pod is { IsPod: true, Throttling: { Throttled: > 0 } throttling })
        {
            yield return Found(
                Severity.Warning,
                $"The container used up its quota in {ToolText.Number(throttling.Throttled)} of "
                + $"{ToolText.Number(throttling.Periods)} periods: all its threads were stopped until the next period.",
                "Raise the CPU limit to a whole number with the static CPU manager; since Kubernetes 1.33 the feature gate "
                + "DisableCPUQuotaWithExclusiveCPUs removes the quota from exclusive CPUs.",
                new Evidence($"/{throttling.File}", $"nr_throttled {ToolText.Number(throttling.Throttled)}"));
        }
    }
}
