using System.Runtime.InteropServices;

namespace NumaSharp.Plugins.Windows.Interop;

internal static partial class Native
{
    private const int RelationAll = 0xFFFF;

    /// <summary>
    /// GetLogicalProcessorInformationEx of all relations, the only query for all groups of a node (build 20348 and later).
    /// </summary>
    public static unsafe int GetLogicalProcessorInformation(out byte[] records)
    {
        records = [];
        uint length = 0;
        while (true)
        {
            int error;
            fixed (byte* buffer = records)
            {
                error = ErrorOf(GetLogicalProcessorInformationEx(RelationAll, buffer, &length));
            }

            if (error == Win32Error.ERROR_SUCCESS)
            {
                Array.Resize(ref records, (int)length);
                return error;
            }

            // Retried with the requested length, which grows if a CPU is added meanwhile.
            if (error != Win32Error.ERROR_INSUFFICIENT_BUFFER || length <= records.Length || length > Array.MaxLength)
            {
                records = [];
                return error;
            }

            records = new byte[length];
        }
    }

    [LibraryImport(Kernel32, SetLastError = true)]
    private static unsafe partial int GetLogicalProcessorInformationEx(int relationship, byte* buffer, uint* length);
}
