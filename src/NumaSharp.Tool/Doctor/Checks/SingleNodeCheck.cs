namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>One node: nothing is near or far.</summary>
internal sealed class SingleNodeCheck() : DoctorCheck("single-node")
{
    public override IEnumerable<Finding> Examine(Patient patient)
    {
        if (!patient.HasSeveralNodes)
        {
            yield return Found(
                Severity.Info,
                "There is one node: threads and memory cannot be on the wrong one.",
                "Nothing. If the machine has several sockets, look for 'node interleaving' and 'NPS' in its firmware.",
                patient.File("sys/devices/system/node/online"));
        }
    }
}
