using System.Runtime.InteropServices;

namespace NumaSharp.Sockets;

/// <summary>struct sock_filter (linux/filter.h): an instruction of a classic BPF program.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly record struct SocketFilter(ushort Code, byte IfTrue, byte IfFalse, uint Operand)
{
    // BPF_LD | BPF_W | BPF_ABS, BPF_JMP | BPF_JGT | BPF_K, BPF_ALU | BPF_ADD | BPF_K, BPF_RET | BPF_K, BPF_RET | BPF_A
    public const ushort LoadWord = 0x20;
    public const ushort JumpIfGreater = 0x25;
    public const ushort Add = 0x04;
    public const ushort ReturnOperand = 0x06;
    public const ushort ReturnValue = 0x16;

    /// <summary>SKF_AD_OFF + SKF_AD_CPU: where a load finds the number of the CPU that runs the program.</summary>
    public const uint CpuOffset = 0xffff_f000 + 36;
}
