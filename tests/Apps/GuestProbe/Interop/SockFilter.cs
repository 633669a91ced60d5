using System.Runtime.InteropServices;

namespace NumaSharp.GuestProbe.Interop;

/// <summary>An instruction of classic BPF (struct sock_filter of linux/filter.h).</summary>
/// <param name="Code">The operation.</param>
/// <param name="JumpTrue">How many instructions to leave out when a comparison holds.</param>
/// <param name="JumpFalse">How many when not.</param>
/// <param name="Operand">What the operation works with.</param>
[StructLayout(LayoutKind.Sequential)]
internal readonly record struct SockFilter(ushort Code, byte JumpTrue, byte JumpFalse, uint Operand)
{
    private const ushort BPF_LD_W_ABS = 0x20;
    private const ushort BPF_JMP_JEQ_K = 0x15;
    private const ushort BPF_RET_K = 0x06;
    private const uint SECCOMP_RET_ERRNO = 0x00050000;
    private const uint SECCOMP_RET_ALLOW = 0x7fff0000;

    /// <summary>The number comes first in struct seccomp_data.</summary>
    public static SockFilter LoadSystemCallNumber { get; } = new(BPF_LD_W_ABS, 0, 0, 0);

    public static SockFilter Allow { get; } = new(BPF_RET_K, 0, 0, SECCOMP_RET_ALLOW);

    /// <summary>Answers a system call with an error and does not make it.</summary>
    public static SockFilter[] AnswerWith(uint systemCall, uint errno) =>
        [new(BPF_JMP_JEQ_K, 0, 1, systemCall), new(BPF_RET_K, 0, 0, SECCOMP_RET_ERRNO | errno)];
}
