using System.Runtime.InteropServices;
using NumaSharp.Interop;
using NumaSharp.Sockets;

namespace NumaSharp.Transport.Epoll.Interop;

/// <summary>
/// The system calls of stream sockets and their descriptors, as the C library declares them; same numbers on x64 and arm64.
/// </summary>
internal static unsafe partial class StreamCalls
{
    public const int F_GETFL = 3;
    public const int F_SETFL = 4;
    public const int F_DUPFD_CLOEXEC = 1030;
    public const int O_NONBLOCK = 0x800;
    public const int MSG_CTRUNC = 0x08;
    public const int MSG_TRUNC = 0x20;
    public const int MSG_MORE = 0x8000;
    public const int RLIMIT_NOFILE = 7;
    public const int SO_TYPE = 3;
    public const int SO_KEEPALIVE = 9;
    public const int SO_LINGER = 13;
    public const int SO_DOMAIN = 39;
    public const int SO_INCOMING_CPU = 49;
    public const int IPPROTO_IP = 0;
    public const int IPPROTO_TCP = 6;
    public const int IP_TRANSPARENT = 19;
    public const int TCP_NODELAY = 1;
    public const int TCP_KEEPIDLE = 4;
    public const int TCP_KEEPINTVL = 5;
    public const int TCP_KEEPCNT = 6;
    public const int TCP_DEFER_ACCEPT = 9;
    public const int TCP_USER_TIMEOUT = 18;
    public const int TCP_FASTOPEN = 23;
    public const int SHUT_WR = 1;
    public const int SHUT_RDWR = 2;

    [LibraryImport("libc", EntryPoint = "listen", SetLastError = true)]
    public static partial int Listen(int fd, int backlog);

    [LibraryImport("libc", EntryPoint = "accept4", SetLastError = true)]
    public static partial int Accept(int fd, void* address, int* length, int flags);

    [LibraryImport("libc", EntryPoint = "shutdown", SetLastError = true)]
    public static partial int Shutdown(int fd, int how);

    [LibraryImport("libc", EntryPoint = "recv", SetLastError = true)]
    public static partial nint Receive(int fd, void* buffer, nuint length, int flags);

    [LibraryImport("libc", EntryPoint = "recvmsg", SetLastError = true)]
    public static partial nint ReceiveMessage(int fd, MessageHeader* message, int flags);

    [LibraryImport("libc", EntryPoint = "send", SetLastError = true)]
    public static partial nint Send(int fd, void* buffer, nuint length, int flags);

    [LibraryImport("libc", EntryPoint = "sendmsg", SetLastError = true)]
    public static partial nint SendMessage(int fd, MessageHeader* message, int flags);

    // Variadic in C; an int is passed the same way as a named argument on x64 and arm64 Linux.
    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    public static partial int FileControl(int fd, int command, int argument);

    [LibraryImport("libc", EntryPoint = "getrlimit", SetLastError = true)]
    public static partial int GetResourceLimit(int resource, ResourceLimit* limit);

    /// <summary>struct rlimit (getrlimit(2)) of 64-bit Linux.</summary>
    public struct ResourceLimit
    {
        public ulong Soft;
        public ulong Hard;
    }
}

/// <summary>struct linger (socket(7), SO_LINGER).</summary>
internal struct Linger
{
    public int IsOn;
    public int Seconds;
}

/// <summary>
/// The descriptors that connections must leave to the rest of the process. The runtime needs two for every thread it starts, and
/// ends the process when the thread pool cannot start one. The kernel assigns the lowest free number, so the number of a new
/// descriptor shows how many are in use.
/// </summary>
internal static unsafe class DescriptorHeadroom
{
    private const int Wanted = 64;

    /// <summary>Whether a new descriptor is one of those that should stay free.</summary>
    public static bool Includes(FileDescriptorHandle descriptor) => descriptor.Number >= FirstReserved();

    /// <summary>The lowest number of those that should stay free. Not for long: prlimit(1) can change it.</summary>
    public static long FirstReserved()
    {
        StreamCalls.ResourceLimit limit = default;
        var result = SysResult.FromReturn(StreamCalls.GetResourceLimit(StreamCalls.RLIMIT_NOFILE, &limit));
        var descriptors = result.Succeeded ? (long)Math.Min(limit.Soft, int.MaxValue) : int.MaxValue;
        return descriptors - Math.Min(Wanted, descriptors / 8);
    }
}
