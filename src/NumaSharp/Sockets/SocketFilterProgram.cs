using System.Runtime.InteropServices;

namespace NumaSharp.Sockets;

/// <summary>struct sock_fprog (linux/filter.h).</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct SocketFilterProgram
{
    public ushort Length;
    public SocketFilter* Instructions;
}
