namespace NumaSharp.Core.Memory;

/// <summary>The fill bytes of checked memory: values that are no addresses, lengths or text.</summary>
internal static class GuardBytes
{
    /// <summary>Around a block that is in use.</summary>
    public const byte Margin = 0xC9;

    /// <summary>A block that was just handed out.</summary>
    public const byte New = 0xA5;

    /// <summary>A block that is free.</summary>
    public const byte Freed = 0x5A;
}
