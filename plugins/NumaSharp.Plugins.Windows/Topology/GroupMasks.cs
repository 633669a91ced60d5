using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>Wraps calls that fill an array of masks and report the required length.</summary>
internal static class GroupMasks
{
    private const int FirstLength = 8;

    public delegate int Query(Span<GroupAffinity> masks, out ushort count);

    /// <summary>Reads all masks. Returns the Win32 error.</summary>
    public static int Read(Query query, out GroupAffinity[] masks)
    {
        for (var length = FirstLength; ; length *= 2)
        {
            masks = new GroupAffinity[length];
            var error = query(masks, out var count);
            if (error == Win32Error.ERROR_SUCCESS)
            {
                Array.Resize(ref masks, Math.Min(count, length));
                return error;
            }

            if (error is not (Win32Error.ERROR_INSUFFICIENT_BUFFER or Win32Error.ERROR_MORE_DATA)
                || length >= CpuNumbers.MaxGroups)
            {
                masks = [];
                return error;
            }
        }
    }
}
