using System.Runtime.InteropServices;

namespace NumaSharp.GuestProbe.Interop;

internal static unsafe partial class Native
{
    private const int PR_SET_NO_NEW_PRIVS = 38;
    private const nint SYS_seccomp = 317;
    private const uint SECCOMP_SET_MODE_FILTER = 1;
    private const uint SECCOMP_FILTER_FLAG_TSYNC = 1;

    /// <summary>seccomp(2) for all threads of this process, which have to have no filter of their own.</summary>
    /// <exception cref="InvalidOperationException">The kernel did not take the filter.</exception>
    public static void SetSeccompFilter(ReadOnlySpan<SockFilter> program)
    {
        fixed (SockFilter* instructions = program)
        {
            var filter = new SockFilterProgram { Length = (ushort)program.Length, Instructions = instructions };
            if (Prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
                || Seccomp(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) != 0)
            {
                throw new InvalidOperationException($"seccomp failed: {Marshal.GetLastPInvokeErrorMessage()}");
            }
        }
    }

    [LibraryImport("libc", EntryPoint = "prctl", SetLastError = true)]
    private static partial int Prctl(int option, nint argument2, nint argument3, nint argument4, nint argument5);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Seccomp(nint number, nuint operation, nuint flags, SockFilterProgram* arguments);

    private struct SockFilterProgram
    {
        public ushort Length;
        public SockFilter* Instructions;
    }
}
