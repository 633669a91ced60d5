using System.Runtime.InteropServices;

namespace NumaSharp.Sockets;

/// <summary>
/// The calls that stream and datagram sockets share, as the C library declares them; the same numbers on x64 and arm64.
/// </summary>
internal static unsafe partial class SocketCalls
{
    public const int AF_UNIX = 1;
    public const int AF_INET = 2;
    public const int AF_INET6 = 10;
    public const int SOCK_STREAM = 1;
    public const int SOCK_DGRAM = 2;
    public const int SOCK_NONBLOCK = 0x800;
    public const int SOCK_CLOEXEC = 0x80000;
    public const int SOL_SOCKET = 1;
    public const int SO_REUSEADDR = 2;
    public const int SO_ERROR = 4;
    public const int SO_SNDBUF = 7;
    public const int SO_RCVBUF = 8;
    public const int SO_REUSEPORT = 15;
    public const int SO_BUSY_POLL = 46;
    public const int SO_ATTACH_REUSEPORT_CBPF = 51;
    public const int SO_COOKIE = 57;
    public const int IPPROTO_IPV6 = 41;
    public const int IPV6_V6ONLY = 26;
    public const int MSG_DONTWAIT = 0x40;
    public const int MSG_NOSIGNAL = 0x4000;

    [LibraryImport("libc", EntryPoint = "socket", SetLastError = true)]
    public static partial int Socket(int domain, int type, int protocol);

    [LibraryImport("libc", EntryPoint = "bind", SetLastError = true)]
    public static partial int Bind(int fd, void* address, int length);

    [LibraryImport("libc", EntryPoint = "connect", SetLastError = true)]
    public static partial int Connect(int fd, void* address, int length);

    [LibraryImport("libc", EntryPoint = "getsockname", SetLastError = true)]
    public static partial int GetSocketName(int fd, void* address, int* length);

    [LibraryImport("libc", EntryPoint = "setsockopt", SetLastError = true)]
    public static partial int SetSocketOption(int fd, int level, int name, void* value, int length);

    [LibraryImport("libc", EntryPoint = "getsockopt", SetLastError = true)]
    public static partial int GetSocketOption(int fd, int level, int name, void* value, int* length);
}

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

/// <summary>struct sock_fprog (linux/filter.h).</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct SocketFilterProgram
{
    public ushort Length;
    public SocketFilter* Instructions;
}

/// <summary>struct msghdr (sendmsg(2)) of 64-bit Linux.</summary>
internal unsafe struct MessageHeader
{
    public void* Name;
    public uint NameLength;
    public IoVector* Vectors;
    public nuint VectorCount;
    public void* Control;
    public nuint ControlLength;
    public int Flags;
}

/// <summary>struct iovec (readv(2)).</summary>
internal unsafe struct IoVector
{
    public byte* Base;
    public nuint Length;
}
