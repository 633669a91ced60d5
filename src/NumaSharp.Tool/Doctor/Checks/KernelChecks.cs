namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>Huge pages for all mappings waste memory; those created during a page fault cost time.</summary>
internal sealed class TransparentHugePagesCheck() : DoctorCheck("transparent-hugepages")
{
    private const string Folder = "sys/kernel/mm/transparent_hugepage";
    private const string Enabled = $"{Folder}/enabled";
    private const string Defrag = $"{Folder}/defrag";

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var mode = Chosen(context.Files.Read(Enabled));
        if (mode == "always")
        {
            yield return Found(
                Severity.Info,
                "Transparent huge pages are on for all memory: a misplaced page is 2 MiB, and memory use grows.",
                $"echo madvise > /{Enabled}: the pools ask for huge pages where they need them.",
                context.File(Enabled));
        }

        if (mode is "always" or "madvise" && Chosen(context.Files.Read(Defrag)) == "always")
        {
            yield return Found(
                Severity.Warning,
                "A page fault that gets a huge page may wait for memory compaction, which costs tail latency.",
                $"echo defer+madvise > /{Defrag}",
                context.File(Defrag));
        }
    }

    // "always [madvise] never"
    private static string? Chosen(string? text) =>
        Array.Find((text ?? "").Split(' '), static word => word is ['[', .., ']'])?.Trim('[', ']');
}
