namespace NumaSharp.Tool.Doctor;

/// <summary>What <c>--fail-on</c> takes.</summary>
internal enum FailThreshold
{
    Info,
    Warning,
    Error,
    Never,
}
