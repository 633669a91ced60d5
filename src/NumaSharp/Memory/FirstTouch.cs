namespace NumaSharp.Core.Memory;

/// <summary>Takes the pages of a range on the node of the calling thread.</summary>
internal static class FirstTouch
{
    /// <summary>Writes 0 to every page: a read would map the shared zero page, which has no node.</summary>
    public static unsafe void TouchHere(nint address, nuint size, nuint pageSize)
    {
        for (nuint offset = 0; offset < size; offset += pageSize)
        {
            Volatile.Write(ref *(byte*)(address + (nint)offset), 0);
        }
    }
}
