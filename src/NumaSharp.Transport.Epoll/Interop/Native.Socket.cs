using System.Runtime.InteropServices;

namespace NumaSharp.Transport.Epoll.Interop;

/// <summary>The socket calls, as the C library declares them; the same numbers on x64 and arm64.</summary>
internal static unsafe partial class Native
{
    public const int AF_UNIX = 1;
    public const int AF_INET = 2;
    public const int AF_INET6 = 10;
    public const int SOCK_STREAM = 1;
    public const int SOCK_NONBLOCK = 0x800;
    public const int SOCK_CLOEXEC = 0x80000;
    public const int SOL_SOCKET = 1;
    public const int SO_REUSEADDR = 2;
    public const int SO_TYPE = 3;
    public const int SO_ERROR = 4;
    public const int SO_SNDBUF = 7;
    public const int SO_RCVBUF = 8;
    public const int SO_KEEPALIVE = 9;
    public const int SO_LINGER = 13;
    public const int SO_REUSEPORT = 15;
    public const int SO_ACCEPTCONN = 30;
    public const int SO_DOMAIN = 39;
    public const int SO_BUSY_POLL = 46;
    public const int SO_INCOMING_CPU = 49;
    public const int SO_COOKIE = 57;
    public const int SO_ATTACH_REUSEPORT_CBPF = 51;
    public const int IPPROTO_TCP = 6;
    public const int TCP_NODELAY = 1;
    public const int TCP_KEEPIDLE = 4;
    public const int TCP_KEEPINTVL = 5;
    public const int TCP_KEEPCNT = 6;
    public const int TCP_DEFER_ACCEPT = 9;
    public const int TCP_USER_TIMEOUT = 18;
    public const int TCP_FASTOPEN = 23;
    public const int IPPROTO_IPV6 = 41;
    public const int IPV6_V6ONLY = 26;
    public const int SHUT_WR = 1;
    public const int SHUT_RDWR = 2;
    public const int MSG_DONTWAIT = 0x40;
    public const int MSG_NOSIGNAL = 0x4000;

    [LibraryImport("libc", EntryPoint = "socket", SetLastError = true)]
    public static partial int Socket(int domain, int type, int protocol);

    [LibraryImport("libc", EntryPoint = "bind", SetLastError = true)]
    public static partial int Bind(int fd, void* address, int length);

    [LibraryImport("libc", EntryPoint = "listen", SetLastError = true)]
    public static partial int Listen(int fd, int backlog);

    [LibraryImport("libc", EntryPoint = "connect", SetLastError = true)]
    public static partial int Connect(int fd, void* address, int length);

    [LibraryImport("libc", EntryPoint = "accept4", SetLastError = true)]
    public static partial int Accept(int fd, void* address, int* length, int flags);

    [LibraryImport("libc", EntryPoint = "getsockname", SetLastError = true)]
    public static partial int GetSocketName(int fd, void* address, int* length);

    [LibraryImport("libc", EntryPoint = "setsockopt", SetLastError = true)]
    public static partial int SetSocketOption(int fd, int level, int name, void* value, int length);

    [LibraryImport("libc", EntryPoint = "getsockopt", SetLastError = true)]
    public static partial int GetSocketOption(int fd, int level, int name, void* value, int* length);

    [LibraryImport("libc", EntryPoint = "shutdown", SetLastError = true)]
    public static partial int Shutdown(int fd, int how);

    [LibraryImport("libc", EntryPoint = "recv", SetLastError = true)]
    public static partial nint Receive(int fd, void* buffer, nuint length, int flags);

    [LibraryImport("libc", EntryPoint = "send", SetLastError = true)]
    public static partial nint Send(int fd, void* buffer, nuint length, int flags);

    [LibraryImport("libc", EntryPoint = "sendmsg", SetLastError = true)]
    public static partial nint SendMessage(int fd, MessageHeader* message, int flags);
}
