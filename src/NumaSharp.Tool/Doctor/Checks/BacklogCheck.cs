namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>The kernel limits the accept queue to less than the setting.</summary>
internal sealed class BacklogCheck() : DoctorCheck("listen-backlog")
{
    private const string Limit = "proc/sys/net/core/somaxconn";

    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        var wanted = context.Options.Transport.Backlog;
        if (context.Options.Transport.Enabled && context.Files.ReadNumber(Limit) is { } limit && limit < wanted)
        {
            yield return Found(
                Severity.Warning,
                $"Numa:Transport:Backlog is {wanted}, but the kernel caps the accept queue at {limit}.",
                $"sysctl -w net.core.somaxconn={wanted}",
                context.File(Limit));
        }
    }
}
