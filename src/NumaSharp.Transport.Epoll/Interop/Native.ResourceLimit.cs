using System.Runtime.InteropServices;

namespace NumaSharp.Transport.Epoll.Interop;

internal static unsafe partial class Native
{
    public const int RLIMIT_NOFILE = 7;

    [LibraryImport("libc", EntryPoint = "getrlimit", SetLastError = true)]
    public static partial int GetResourceLimit(int resource, ResourceLimit* limit);

    /// <summary>struct rlimit (getrlimit(2)) of 64-bit Linux.</summary>
    public struct ResourceLimit
    {
        public ulong Soft;
        public ulong Hard;
    }
}
