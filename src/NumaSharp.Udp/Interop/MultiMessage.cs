using System.Runtime.InteropServices;
using NumaSharp.Sockets;

namespace NumaSharp.Udp.Interop;

/// <summary>struct mmsghdr (recvmmsg(2), sendmmsg(2)) of 64-bit Linux.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct MultiMessage
{
    public MessageHeader Header;

    /// <summary>The number of bytes received or sent.</summary>
    public uint Length;
}
