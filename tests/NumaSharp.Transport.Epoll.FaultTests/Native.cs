using System.Runtime.InteropServices;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>What other people's code does to our descriptors.</summary>
internal static partial class Native
{
    public const int SHUT_RDWR = 2;
    public const int SO_ERROR = 4;
    public const int SO_COOKIE = 57;
    public const int TCP_NODELAY = 1;

    [LibraryImport("libc", EntryPoint = "close")]
    public static partial int Close(int fd);

    [LibraryImport("libc", EntryPoint = "shutdown")]
    public static partial int Shutdown(int fd, int how);
}
