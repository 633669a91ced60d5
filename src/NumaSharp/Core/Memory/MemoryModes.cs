namespace NumaSharp.Core.Memory;

/// <summary>What allocator and pools have in common about their modes.</summary>
internal static class MemoryModes
{
    public static void Check(NumaMemoryChecks checks)
    {
        if (!Enum.IsDefined(checks))
        {
            throw new ArgumentOutOfRangeException(
                nameof(checks), checks, $"Checks must be one of {string.Join(", ", Enum.GetNames<NumaMemoryChecks>())}.");
        }
    }
}
