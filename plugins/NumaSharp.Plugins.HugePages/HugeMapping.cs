using NumaSharp.Interop;
using NumaSharp.Plugins.HugePages.Interop;

namespace NumaSharp.Plugins.HugePages.Memory;

/// <summary>Address space for huge pages.</summary>
internal static class HugeMapping
{
    /// <summary>Reserves address space without allocating pages.</summary>
    public static SysResult Reserve(nuint size, nuint alignment, nuint pageSize, out nint address)
    {
        address = 0;
        var length = size + (alignment - pageSize);
        if (length < size || size % pageSize != 0)
        {
            return SysResult.FromErrno(Errno.EINVAL);
        }

        var result = HugePageCalls.MmapHuge(length, pageSize);
        if (!result.Succeeded)
        {
            return result;
        }

        var start = result.Value;
        var aligned = (nint)(((nuint)start + alignment - 1) & ~(alignment - 1));
        result = Native.UnmapAround(start, length, aligned, size);
        if (result.Succeeded)
        {
            result = HugePageCalls.KeepFromChildren(aligned, size);
        }

        if (!result.Succeeded)
        {
            Native.Unmap(start, length);
            return result;
        }

        address = aligned;
        return result;
    }
}
