namespace NumaSharp.Tool.Doctor;

/// <summary>How much a finding hurts.</summary>
internal enum Severity
{
    /// <summary>Good to know.</summary>
    Info,

    /// <summary>Costs throughput or tail latency.</summary>
    Warning,

    /// <summary>The settings cannot be carried out.</summary>
    Error,
}
