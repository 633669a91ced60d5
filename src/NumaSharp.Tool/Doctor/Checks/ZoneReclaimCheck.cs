namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>A full node reclaims its caches before memory of another node is used.</summary>
internal sealed class ZoneReclaimCheck() : DoctorCheck("zone-reclaim")
{
    private const string Switch = "proc/sys/vm/zone_reclaim_mode";

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.HasSeveralNodes && context.Files.ReadNumber(Switch) is { } mode and not 0)
        {
            yield return Found(
                Severity.Warning,
                "Zone reclaim is on: an allocation on a full node waits for pages to be written or dropped, while other nodes "
                + "have free memory.",
                "sysctl -w vm.zone_reclaim_mode=0",
                new Evidence($"/{Switch}", $"{mode}"));
        }
    }
}
