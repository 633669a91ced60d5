using System.Runtime.InteropServices;

namespace NumaSharp.Transport.Epoll.Interop;

internal static partial class Native
{
    public const int F_GETFL = 3;
    public const int F_SETFL = 4;
    public const int F_DUPFD_CLOEXEC = 1030;
    public const int O_NONBLOCK = 0x800;

    // Variadic in C; an int goes the same way as a named argument on x64 and arm64 Linux.
    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    public static partial int FileControl(int fd, int command, int argument);
}
