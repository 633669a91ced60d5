using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>mbind(2) is refused: memory is placed by first touch alone.</summary>
internal sealed class BindCheck() : DoctorCheck("mbind-refused")
{
    public override bool NeedsProbe => true;

    public override IEnumerable<Finding> Examine(Patient patient)
    {
        if (patient.Plan.BindMode == NumaBindMode.None || patient.Probe is not { } probe)
        {
            yield break;
        }

        foreach (var nodeId in patient.Plan.Nodes.Select(static node => node.MemoryNodeId).Distinct())
        {
            var result = probe.TryBind(nodeId);
            if (!result.Succeeded)
            {
                var isStrict = patient.Plan.BindMode == NumaBindMode.Strict;
                yield return Found(
                    isStrict ? Severity.Error : Severity.Warning,
                    $"Memory cannot be bound to node {nodeId}: {result}. "
                    + (isStrict
                        ? "With Numa:Binding:Mode=Strict no host starts."
                        : "Pages go where a pinned thread touches them first."),
                    "In a container: --cap-add SYS_NICE, or a seccomp profile that allows mbind; Docker's own refuses it.",
                    new Evidence("mbind", result.ToString()),
                    patient.File("proc/self/status") with { Value = SeccompOf(patient) });
                yield break;
            }
        }
    }

    private static string SeccompOf(Patient patient) =>
        Array.Find((patient.Files.Read("proc/self/status") ?? "").Split('\n'), static line =>
            line.StartsWith("Seccomp:", StringComparison.Ordinal)) ?? "Seccomp: unknown";
}
