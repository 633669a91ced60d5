namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>Committed memory is limited, even if it is not used.</summary>
internal sealed class OvercommitCheck() : DoctorCheck("overcommit")
{
    private const string Switch = "proc/sys/vm/overcommit_memory";
    private const int Never = 2;

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Files.ReadNumber(Switch) == Never)
        {
            yield return Found(
                Severity.Info,
                "The kernel does not overcommit memory: committed memory of the pools counts in full, and a process may be "
                + "refused memory while some is free.",
                "Set Numa:Memory:LimitPerNode below vm.overcommit_ratio percent of the memory, or sysctl -w "
                + "vm.overcommit_memory=0",
                context.File(Switch),
                context.File("proc/sys/vm/overcommit_ratio"));
        }
    }
}
