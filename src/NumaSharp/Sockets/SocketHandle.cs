using System.Net;
using System.Net.Sockets;
using NumaSharp.Interop;

namespace NumaSharp.Sockets;

/// <summary>
/// Owns a non-blocking socket. Calls use the bare descriptor for speed: callers that share the socket between threads keep calls
/// and <see cref="IDisposable.Dispose"/> apart.
/// </summary>
internal abstract unsafe class SocketHandle(int descriptor) : FileDescriptorHandle(descriptor)
{
    // sizeof(struct sockaddr_storage)
    protected const int MaxAddressLength = 128;

    public SysResult Bind(EndPoint endPoint)
    {
        var address = endPoint.Serialize();
        fixed (byte* bytes = address.Buffer.Span)
        {
            return SysResult.FromReturn(SocketCalls.Bind(Number, bytes, address.Size));
        }
    }

    /// <summary>
    /// Connects (connect(2)). For a stream socket EINPROGRESS means that the attempt continues; the socket becomes writable at
    /// its end.
    /// </summary>
    public SysResult Connect(EndPoint endPoint)
    {
        var address = endPoint.Serialize();
        fixed (byte* bytes = address.Buffer.Span)
        {
            var result = SysResult.FromReturn(SocketCalls.Connect(Number, bytes, address.Size));

            // connect(2): after a signal the attempt continues, too.
            return result.IsInterrupted ? SysResult.FromErrno(Errno.EINPROGRESS) : result;
        }
    }

    /// <param name="family">An end point of the socket's address family, which decodes the address.</param>
    /// <param name="endPoint">The local address, or <see langword="null"/>.</param>
    public SysResult GetLocalEndPoint(EndPoint family, out EndPoint? endPoint)
    {
        var bytes = stackalloc byte[MaxAddressLength];
        var result = GetLocalAddress(bytes, out var length);
        endPoint = result.Succeeded ? Decode(family, new ReadOnlySpan<byte>(bytes, length)) : null;
        return result;
    }

    public SysResult SetOption(int level, int name, int value) => SetOption(level, name, &value, sizeof(int));

    public SysResult GetOption(int level, int name, out int value) => GetOption(Number, level, name, out value);

    /// <summary>Reads an option of any descriptor, socket or not.</summary>
    public static SysResult GetOption(int descriptor, int level, int name, out int value)
    {
        int read = 0;
        var length = sizeof(int);
        var result = GetOption(descriptor, level, name, &read, &length);
        value = read;
        return result;
    }

    /// <summary>Takes the error that is pending on the socket (SO_ERROR), if any.</summary>
    public SysResult TakeError()
    {
        var result = GetOption(SocketCalls.SOL_SOCKET, SocketCalls.SO_ERROR, out var error);
        return result.Succeeded && error != 0 ? SysResult.FromErrno(error) : result;
    }

    /// <summary>
    /// Identifies this socket, whatever descriptor it has (SO_COOKIE); 0 when the descriptor is no socket.
    /// </summary>
    public ulong GetCookie()
    {
        ulong cookie = 0;
        var length = sizeof(ulong);
        return GetOption(Number, SocketCalls.SOL_SOCKET, SocketCalls.SO_COOKIE, &cookie, &length).Succeeded ? cookie : 0;
    }

    /// <summary>
    /// Makes a program choose among all sockets of the port, numbered in the order in which they joined; if its result is no
    /// socket's number, the kernel chooses (SO_ATTACH_REUSEPORT_CBPF, socket(7)).
    /// </summary>
    public SysResult SteerBy(ReadOnlySpan<SocketFilter> instructions) =>
        Attach(SocketCalls.SO_ATTACH_REUSEPORT_CBPF, instructions);

    /// <summary>Decodes a struct sockaddr of the kernel.</summary>
    public static EndPoint Decode(EndPoint family, ReadOnlySpan<byte> bytes)
    {
        var address = new SocketAddress(family.AddressFamily, bytes.Length);
        bytes.CopyTo(address.Buffer.Span);
        return family.Create(address);
    }

    /// <returns>The descriptor, close-on-exec and non-blocking.</returns>
    protected static SysResult Open(AddressFamily family, int type)
    {
        var domain = family switch
        {
            AddressFamily.Unix => SocketCalls.AF_UNIX,
            AddressFamily.InterNetworkV6 => SocketCalls.AF_INET6,
            _ => SocketCalls.AF_INET,
        };
        return SysResult.FromReturn(SocketCalls.Socket(domain, type | SocketCalls.SOCK_NONBLOCK | SocketCalls.SOCK_CLOEXEC, 0));
    }

    protected SysResult GetLocalAddress(byte* bytes, out int length)
    {
        var size = MaxAddressLength;
        var result = SysResult.FromReturn(SocketCalls.GetSocketName(Number, bytes, &size));
        length = size;
        return result;
    }

    protected SysResult Attach(int option, ReadOnlySpan<SocketFilter> instructions)
    {
        fixed (SocketFilter* first = instructions)
        {
            var program = new SocketFilterProgram { Length = (ushort)instructions.Length, Instructions = first };
            return instructions.Length > ushort.MaxValue
                ? SysResult.FromErrno(Errno.EINVAL)
                : SetOption(SocketCalls.SOL_SOCKET, option, &program, sizeof(SocketFilterProgram));
        }
    }

    protected SysResult SetOption(int level, int name, void* value, int length) =>
        SysResult.FromReturn(SocketCalls.SetSocketOption(Number, level, name, value, length));

    protected static SysResult GetOption(int descriptor, int level, int name, void* value, int* length) =>
        SysResult.FromReturn(SocketCalls.GetSocketOption(descriptor, level, name, value, length));
}
