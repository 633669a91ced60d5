namespace NumaSharp.Tool.Doctor;

/// <summary>The values of <c>--fail-on</c>.</summary>
internal enum FailThreshold
{
    Info,
    Warning,
    Error,
    Never,
}
