namespace NumaSharp.Tool.Doctor;

/// <summary>How severe a finding is.</summary>
internal enum Severity
{
    /// <summary>Good to know.</summary>
    Info,

    /// <summary>Costs throughput or tail latency.</summary>
    Warning,

    /// <summary>The settings cannot be applied.</summary>
    Error,
}
