using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>CPUs that stay at their lowest frequency.</summary>
internal sealed class GovernorCheck() : DoctorCheck("cpu-governor")
{
    private static readonly string[] s_scaling = ["intel_pstate", "amd-pstate-epp"];

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var slow = CpuSet.FromIds(context.Plan.Cpus.Where(cpu => IsSlow(context, cpu)));
        if (!slow.IsEmpty)
        {
            yield return Found(
                Severity.Warning,
                $"CPUs {slow} of the plan have the governor powersave: they stay at their lowest frequency.",
                "cpupower frequency-set -g performance (or schedutil)",
                context.File(FileOf(slow.First, "scaling_governor")),
                context.File(FileOf(slow.First, "scaling_driver")));
        }
    }

    // In the active mode of these drivers the hardware chooses, and powersave is the normal mode (admin-guide/pm).
    private static bool IsSlow(CheckContext context, int cpu) =>
        context.Files.Read(FileOf(cpu, "scaling_governor")) == "powersave"
        && !s_scaling.Contains(context.Files.Read(FileOf(cpu, "scaling_driver")));

    private static string FileOf(int cpu, string name) =>
        string.Create(CultureInfo.InvariantCulture, $"sys/devices/system/cpu/cpu{cpu}/cpufreq/{name}");
}
