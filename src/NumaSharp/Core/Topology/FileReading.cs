namespace NumaSharp.Core.Topology;

/// <summary>The text of a kernel file, or why there is none.</summary>
internal readonly record struct FileReading(string Path, string Text, FileProblem Problem, string Reason)
{
    public bool Succeeded => Problem == FileProblem.None;

    public bool IsMissing => Problem == FileProblem.Missing;

    public static FileReading Of(string path, string text) => new(path, text, FileProblem.None, "");

    public static FileReading Failed(string path, FileProblem problem, string reason) => new(path, "", problem, reason);

    /// <summary>What to quote in a message: the text, or the reason.</summary>
    public string Describe() => Succeeded ? NumaTopologyException.Quote(Text.Length == 0 ? "(empty)" : Text) : Reason;
}
