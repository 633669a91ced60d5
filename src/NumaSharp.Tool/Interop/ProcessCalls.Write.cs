using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.Tool.Interop;

internal static partial class ProcessCalls
{
    private const short POLLOUT = 4;

    /// <summary>write(2), possibly of a part; waits if the descriptor is non-blocking and full.</summary>
    public static unsafe SysResult WritePart(int descriptor, ReadOnlySpan<byte> bytes)
    {
        while (true)
        {
            SysResult result;
            fixed (byte* start = bytes)
            {
                result = SysResult.FromReturn(Write(descriptor, start, (nuint)bytes.Length));
            }

            if (result.IsAgain)
            {
                // Another process on the same terminal may have set non-blocking mode, which belongs to the open file.
                var wait = new PollDescriptor { Descriptor = descriptor, Events = POLLOUT };
                _ = Poll(&wait, 1, -1);
            }
            else if (!result.IsInterrupted)
            {
                return result;
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    private static unsafe partial nint Write(int fd, byte* bytes, nuint count);

    [LibraryImport("libc", EntryPoint = "poll", SetLastError = true)]
    private static unsafe partial int Poll(PollDescriptor* descriptors, nuint count, int timeoutMilliseconds);

    // struct pollfd of poll(2).
    private struct PollDescriptor
    {
        public int Descriptor;
        public short Events;
        public short Returned;
    }
}
