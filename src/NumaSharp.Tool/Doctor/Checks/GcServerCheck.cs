namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>One heap for all nodes.</summary>
internal sealed class GcServerCheck() : DoctorCheck("gc-server")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (!context.HasSeveralNodes || !context.Plan.IsEnabled || context.Gc.IsEmpty)
        {
            yield break;
        }

        var server = context.Gc.Flag("gcServer", "Server");
        if (server is not { Value: true })
        {
            yield return Found(
                Severity.Warning,
                "The application uses the workstation GC: one heap, whose pages are on whichever node touched them first.",
                "Set <ServerGarbageCollection>true</ServerGarbageCollection> in the project, or DOTNET_gcServer=1.",
                server?.Evidence ?? new Evidence("System.GC.Server", "not set"));
        }
    }
}
