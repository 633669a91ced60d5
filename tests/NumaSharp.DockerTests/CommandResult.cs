namespace NumaSharp.DockerTests;

/// <summary>How a program ended.</summary>
/// <param name="ExitCode">Its exit code.</param>
/// <param name="Output">What it wrote as its result.</param>
/// <param name="Errors">What it said.</param>
internal sealed record CommandResult(int ExitCode, string Output, string Errors)
{
    public bool Succeeded => ExitCode == 0;

    public override string ToString() => $"{ExitCode}: {Output}{Errors}";
}
