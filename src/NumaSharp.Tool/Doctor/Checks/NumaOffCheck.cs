namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The kernel was started with NUMA off: it sees one node.</summary>
internal sealed class NumaOffCheck() : DoctorCheck("numa-off")
{
    private const string CommandLine = "proc/cmdline";

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var words = (context.Files.Read(CommandLine) ?? "").Split(' ');
        foreach (var word in words.Where(static word => word is "numa=off" or "numa=noacpi"))
        {
            yield return Found(
                Severity.Warning,
                $"The kernel was started with {word}: it treats the machine as one node.",
                $"Remove {word} from the kernel's command line and restart the machine.",
                new Evidence($"/{CommandLine}", word));
        }
    }
}
