namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>One heap for all nodes.</summary>
internal sealed class GcServerCheck() : DoctorCheck("gc-server")
{
    public override IEnumerable<Finding> Examine(Patient patient)
    {
        if (!patient.HasSeveralNodes || !patient.Plan.IsEnabled || patient.Gc.IsEmpty)
        {
            yield break;
        }

        var server = patient.Gc.Flag("gcServer", "Server");
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
