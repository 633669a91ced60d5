using NumaSharp.Interop;

namespace NumaSharp.Plugins.HugePages.Interop;

internal static partial class HugePageCalls
{
    private const int MADV_DONTFORK = 10;

    // Since Linux 5.14; older kernels return EINVAL.
    private const int MADV_POPULATE_WRITE = 23;

    /// <summary>madvise(2), MADV_DONTFORK: a child gets no copy, so that our writes need no new page after a fork.</summary>
    public static SysResult KeepFromChildren(nint address, nuint length) => Native.Advise(address, length, MADV_DONTFORK);

    /// <summary>
    /// madvise(2), MADV_POPULATE_WRITE: allocates every page as a write would, and returns EFAULT where a write would cause a
    /// SIGBUS.
    /// </summary>
    public static SysResult Populate(nint address, nuint length) => Native.Advise(address, length, MADV_POPULATE_WRITE);
}
