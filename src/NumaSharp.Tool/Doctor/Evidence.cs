namespace NumaSharp.Tool.Doctor;

/// <summary>The evidence of a problem.</summary>
/// <param name="Source">A file, a system call or a variable.</param>
/// <param name="Value">Its value.</param>
internal sealed record Evidence(string Source, string Value);
