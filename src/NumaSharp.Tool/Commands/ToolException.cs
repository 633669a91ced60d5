namespace NumaSharp.Tool;

/// <summary>The request cannot be fulfilled; the lines go to stderr, the exit code is 2.</summary>
internal sealed class ToolException : Exception
{
    public ToolException(string message, Exception? innerException = null)
        : base(message, innerException) => Lines = [message];

    public ToolException(IEnumerable<string> lines, Exception innerException)
        : base("", innerException) => Lines = [.. lines];

    /// <summary>One per error.</summary>
    public IReadOnlyList<string> Lines { get; }

    public override string Message => string.Join(Environment.NewLine, Lines);
}
