using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

internal static unsafe partial class Native
{
    // _IOW(0x8A, 1, struct epoll_params) and _IOR(0x8A, 2, struct epoll_params), the same on x64 and arm64.
    public const uint EPIOCSPARAMS = 0x40088A01;
    public const uint EPIOCGPARAMS = 0x80088A02;

    [LibraryImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    public static partial int DeviceControl(int fd, nuint request, void* argument);
}
