namespace NumaSharp.Tool.Doctor;

/// <summary>Where something shows.</summary>
/// <param name="Source">A file, a system call or a variable.</param>
/// <param name="Value">What it says.</param>
internal sealed record Evidence(string Source, string Value);
