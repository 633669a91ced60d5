namespace NumaSharp.TestKit;

/// <summary>How a program ended.</summary>
/// <param name="ExitCode">Its exit code.</param>
/// <param name="Output">What it wrote as its result.</param>
/// <param name="Errors">What it said.</param>
public sealed record ProgramResult(int ExitCode, string Output, string Errors)
{
    public bool Succeeded => ExitCode == 0;

    /// <summary>The lines of the result that are not empty.</summary>
    public IReadOnlyList<string> OutputLines => LinesOf(Output);

    /// <summary>The lines of what it said that are not empty.</summary>
    public IReadOnlyList<string> ErrorLines => LinesOf(Errors);

    public override string ToString() => $"{ExitCode}: {Output}{Errors}";

    private static string[] LinesOf(string text) =>
        text.ReplaceLineEndings("\n").Split('\n', StringSplitOptions.RemoveEmptyEntries);
}
