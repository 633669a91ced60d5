using System.Runtime.InteropServices;

namespace NumaSharp.Interop;

/// <summary>
/// Numbers of the system calls that C libraries do not all export
/// (arch/x86/entry/syscalls/syscall_64.tbl; include/uapi/asm-generic/unistd.h for arm64).
/// </summary>
internal static class SyscallNumbers
{
    private static readonly bool s_isArm64 = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    public static nint Futex { get; } = s_isArm64 ? 98 : 202;

    public static nint GetCpu { get; } = s_isArm64 ? 168 : 309;

    public static nint GetThreadId { get; } = s_isArm64 ? 178 : 186;

    public static nint MBind { get; } = s_isArm64 ? 235 : 237;

    public static nint MovePages { get; } = s_isArm64 ? 239 : 279;

    public static nint SetMempolicyHomeNode { get; } = 450;
}
