namespace NumaSharp.Tool.Commands;

/// <summary>The exit codes of the process; the same for all commands.</summary>
internal static class ExitCodes
{
    public const int Success = 0;

    /// <summary>The command did its work and found a problem (doctor).</summary>
    public const int Findings = 1;

    /// <summary>The machine, an archive or the arguments cannot be read; one line on stderr names the problem.</summary>
    public const int Unusable = 2;

    /// <summary>run: a process could not be placed on its node; 125 to 127 are those of env(1).</summary>
    public const int CannotPlace = 125;

    public const int CommandNotExecutable = 126;

    public const int CommandNotFound = 127;

    /// <summary>Ctrl-C, as in shells: 128 + SIGINT.</summary>
    public const int Cancelled = 130;
}

/// <summary>The request cannot be fulfilled; the lines go to stderr, the exit code is 2.</summary>
internal sealed class ToolException : Exception
{
    public ToolException(string message, Exception? innerException = null)
        : base(message, innerException) => Lines = [message];

    public ToolException(IEnumerable<string> lines, Exception? innerException = null)
        : base("", innerException) => Lines = [.. lines];

    /// <summary>One per error.</summary>
    public IReadOnlyList<string> Lines { get; }

    public override string Message => string.Join(Environment.NewLine, Lines);
}
