namespace NumaSharp.TestKit;

/// <summary>How a program ended.</summary>
/// <param name="ExitCode">Its exit code.</param>
/// <param name="Output">What it wrote as its result.</param>
/// <param name="Errors">What it said.</param>
public sealed record ProgramResult(int ExitCode, string Output, string Errors)
{
    public bool Succeeded => ExitCode == 0;

    public override string ToString() => $"{ExitCode}: {Output}{Errors}";
}
