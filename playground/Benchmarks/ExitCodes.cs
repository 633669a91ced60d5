namespace NumaSharp.Playground.Benchmarks;

/// <summary>What the process returns; a missed requirement is a result, not a failure.</summary>
internal static class ExitCodes
{
    public const int Completed = 0;
    public const int Failed = 1;
    public const int Usage = 2;

    // 128 + SIGINT, as shells have it.
    public const int Cancelled = 130;
}
