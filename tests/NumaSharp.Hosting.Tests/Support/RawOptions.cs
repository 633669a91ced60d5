using System.Buffers.Binary;
using System.Net.Sockets;

namespace NumaSharp.Hosting.Tests.Support;

/// <summary>Options of sockets by the kernel's numbers.</summary>
internal static class RawOptions
{
    public static int Read(Socket socket, int level, int name)
    {
        Span<byte> value = stackalloc byte[sizeof(int)];
        socket.GetRawSocketOption(level, name, value);
        return BinaryPrimitives.ReadInt32LittleEndian(value);
    }
}
