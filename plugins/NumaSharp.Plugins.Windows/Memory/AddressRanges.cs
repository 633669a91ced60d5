namespace NumaSharp.Plugins.Windows.Memory;

/// <summary>Searches lists of ranges in ascending order of address.</summary>
internal static class AddressRanges
{
    /// <summary>The index of the last range that starts at or before an address, or -1.</summary>
    public static int FindLast<T>(List<T> ranges, nint address)
        where T : IAddressRange
    {
        var (low, high) = (-1, ranges.Count - 1);
        while (low < high)
        {
            var middle = (low + high + 1) / 2;
            (low, high) = (nuint)ranges[middle].Start <= (nuint)address ? (middle, high) : (low, middle - 1);
        }

        return low;
    }
}
