using System.Runtime.InteropServices;

namespace NumaSharp.Sockets;

/// <summary>
/// The calls that stream and datagram sockets share, as the C library declares them; the same numbers on x64 and arm64.
/// </summary>
internal static unsafe partial class SocketCalls
{
    public const int AF_UNIX = 1;
    public const int AF_INET = 2;
    public const int AF_INET6 = 10;
    public const int SOCK_STREAM = 1;
    public const int SOCK_DGRAM = 2;
    public const int SOCK_NONBLOCK = 0x800;
    public const int SOCK_CLOEXEC = 0x80000;
    public const int SOL_SOCKET = 1;
    public const int SO_REUSEADDR = 2;
    public const int SO_ERROR = 4;
    public const int SO_SNDBUF = 7;
    public const int SO_RCVBUF = 8;
    public const int SO_REUSEPORT = 15;
    public const int SO_BUSY_POLL = 46;
    public const int SO_ATTACH_REUSEPORT_CBPF = 51;
    public const int SO_COOKIE = 57;
    public const int IPPROTO_IPV6 = 41;
    public const int IPV6_V6ONLY = 26;
    public const int MSG_DONTWAIT = 0x40;
    public const int MSG_NOSIGNAL = 0x4000;

    [LibraryImport("libc", EntryPoint = "socket", SetLastError = true)]
    public static partial int Socket(int domain, int type, int protocol);

    [LibraryImport("libc", EntryPoint = "bind", SetLastError = true)]
    public static partial int Bind(int fd, void* address, int length);

    [LibraryImport("libc", EntryPoint = "connect", SetLastError = true)]
    public static partial int Connect(int fd, void* address, int length);

    [LibraryImport("libc", EntryPoint = "getsockname", SetLastError = true)]
    public static partial int GetSocketName(int fd, void* address, int* length);

    [LibraryImport("libc", EntryPoint = "setsockopt", SetLastError = true)]
    public static partial int SetSocketOption(int fd, int level, int name, void* value, int length);

    [LibraryImport("libc", EntryPoint = "getsockopt", SetLastError = true)]
    public static partial int GetSocketOption(int fd, int level, int name, void* value, int* length);
}
