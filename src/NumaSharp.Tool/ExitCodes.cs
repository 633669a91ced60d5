namespace NumaSharp.Tool;

/// <summary>What the process answers; the same for all commands.</summary>
internal static class ExitCodes
{
    public const int Success = 0;

    /// <summary>The command did its work and found something wrong (doctor).</summary>
    public const int Findings = 1;

    /// <summary>The machine, an archive or the arguments cannot be read; one line on stderr says what.</summary>
    public const int Unusable = 2;
}
