namespace NumaSharp.Tests.Core.Memory;

/// <summary>
/// Marks blocks in use by their first and last word. Free memory never has the mark, so that a block which is given to two,
/// or into which another one reaches, is found: by the thread that gets it, or by the one that frees it.
/// </summary>
internal static unsafe class TaggedBlock
{
    public const int LeastSize = 2 * sizeof(long);

    private const long InUse = 0x5E5E_0000_0000_0000;
    private const long InUseMask = unchecked((long)0xFFFF_0000_0000_0000);
    private const long Free = 0x0F0F_0F0F_0F0F_0F0F;

    /// <summary>Marks a new block of a size that is a multiple of 8.</summary>
    public static void Take(void* block, int size)
    {
        var found = Interlocked.Exchange(ref *(long*)block, InUse | (long)size);
        if ((found & InUseMask) == InUse)
        {
            throw new InvalidOperationException(
                $"0x{(nint)block:x} was given twice: it is in use with {found & ~InUseMask} bytes.");
        }

        *LastOf(block, size) = ~(nint)block;
    }

    /// <summary>Takes the marks off before a block is freed.</summary>
    public static void Leave(void* block)
    {
        var tag = *(long*)block;
        var size = (int)(tag & ~InUseMask);
        var isWhole = (tag & InUseMask) == InUse && *LastOf(block, size) == ~(nint)block;
        if (!isWhole || Interlocked.CompareExchange(ref *(long*)block, Free, tag) != tag)
        {
            throw new InvalidOperationException($"0x{(nint)block:x} was overwritten: 0x{tag:x}.");
        }

        *LastOf(block, size) = Free;
    }

    private static long* LastOf(void* block, int size) => (long*)((byte*)block + size) - 1;
}
