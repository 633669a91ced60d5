using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Memory;

/// <summary>Placeholders of VirtualAlloc2 (Windows 10, version 1803, and Windows Server 2019).</summary>
internal sealed class PlaceholderSpace(IMemoryCalls calls) : IAddressSpace
{
    public bool HasPlaceholders => true;

    /// <summary>Whether the system has placeholders. Found by trial: Wine 8 has the call but refuses the flag.</summary>
    public static bool IsSupported(IMemoryCalls calls)
    {
        if (calls.ReservePlaceholder(PlainSpace.Granularity, PlainSpace.Granularity, out var address) != Win32Error.ERROR_SUCCESS)
        {
            return false;
        }

        calls.Free(address);
        return true;
    }

    public int Reserve(nuint size, nuint alignment, out nint address) =>
        calls.ReservePlaceholder(size, nuint.Max(alignment, PlainSpace.Granularity), out address);

    public int Cut(nint address, nuint size) => calls.CutPlaceholder(address, size);

    public int Replace(Segment placeholder, int? node) => calls.ReplacePlaceholder(placeholder.Start, placeholder.Size, node);

    public int Rebind(Segment region, int node)
    {
        var error = calls.CutPlaceholder(region.Start, region.Size);
        if (error != Win32Error.ERROR_SUCCESS)
        {
            return error;
        }

        error = calls.ReplacePlaceholder(region.Start, region.Size, node);
        if (error != Win32Error.ERROR_SUCCESS
            && calls.ReplacePlaceholder(region.Start, region.Size, region.Node) != Win32Error.ERROR_SUCCESS)
        {
            // Still ours, as a placeholder; the next call tries again.
            region.IsRegion = false;
            region.Node = null;
        }

        return error;
    }
}
