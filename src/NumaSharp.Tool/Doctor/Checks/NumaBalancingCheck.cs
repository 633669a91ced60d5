namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The kernel moves pages to follow threads that the plan has already placed.</summary>
internal sealed class NumaBalancingCheck() : DoctorCheck("numa-balancing")
{
    private const string Switch = "proc/sys/kernel/numa_balancing";
    private const int Balancing = 1;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        // Bit 1 alone is memory tiering: promotion of hot pages, which does not conflict with a plan (sysctl/kernel.rst).
        if (context.HasSeveralNodes && context.Plan.IsEnabled && context.Files.ReadNumber(Switch) is { } mode
            && (mode & Balancing) != 0)
        {
            yield return Found(
                Severity.Warning,
                "Automatic NUMA balancing is on: it unmaps pages to see which threads use them. Pinned threads take the page "
                + "faults and gain nothing.",
                $"sysctl -w kernel.numa_balancing={mode & ~Balancing}",
                context.File(Switch));
        }
    }
}
