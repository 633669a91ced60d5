namespace NumaSharp.Core.Topology;

/// <summary>The text of a kernel file, or why there is none.</summary>
internal readonly record struct FileReading(string Path, string Text, FileProblem Problem, string Reason)
{
    public bool Succeeded => Problem == FileProblem.None;

    public bool IsMissing => Problem == FileProblem.Missing;

    public static FileReading Of(string path, string text) => new(path, text, FileProblem.None, "");

    public static FileReading Failed(string path, FileProblem problem, string reason) => new(path, "", problem, reason);

    /// <summary>The content of the file, or why there is none.</summary>
    public string Value => !Succeeded ? Reason : Text.Length == 0 ? "(empty)" : NumaTopologyException.Quote(Text);

    /// <summary>Why the file cannot be used.</summary>
    public string Describe() => Succeeded ? $"{Path}: '{Value}' cannot be used" : $"{Path} {Reason}";
}
