using System.Runtime.InteropServices;
using NumaSharp.GuestProbe.Interop;

namespace NumaSharp.GuestProbe;

/// <summary>
/// What Docker's default seccomp profile does to memory placement: EPERM for the calls that need CAP_SYS_NICE, ENOSYS for
/// the one that its version does not know. Cannot be undone, and children inherit it (seccomp(2)).
/// </summary>
internal static class SeccompFilter
{
    private const uint EPERM = 1;
    private const uint ENOSYS = 38;

    // x86-64, the guest's: mbind, set_mempolicy, get_mempolicy, migrate_pages, move_pages; set_mempolicy_home_node.
    private static readonly uint[] s_notPermitted = [237, 238, 239, 256, 279];
    private static readonly uint[] s_notKnown = [450];

    /// <exception cref="InvalidOperationException">The kernel did not take the filter.</exception>
    public static void RefuseMemoryPlacement()
    {
        if (RuntimeInformation.ProcessArchitecture != Architecture.X64)
        {
            throw new PlatformNotSupportedException("The filter's system call numbers are those of x86-64.");
        }

        SockFilter[] program =
        [
            SockFilter.LoadSystemCallNumber,
            .. s_notPermitted.SelectMany(static number => SockFilter.AnswerWith(number, EPERM)),
            .. s_notKnown.SelectMany(static number => SockFilter.AnswerWith(number, ENOSYS)),
            SockFilter.Allow,
        ];
        Native.SetSeccompFilter(program);
    }
}
