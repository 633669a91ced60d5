using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Sockets;

/// <summary>
/// Sets socket options. One that the kernel refuses is reported as a fallback, and the socket continues without it.
/// </summary>
/// <param name="target">What the sockets belong to, for messages.</param>
/// <param name="fellBack">Called for each refused option with the kind and a message.</param>
internal sealed class SocketSettings(string target, Action<FallbackKind, string> fellBack)
{
    /// <summary>Sets an option, unless it is 0: the system's own value.</summary>
    public void SetUnlessZero(SocketHandle socket, int level, int name, int value, FallbackKind kind, string label)
    {
        if (value != 0)
        {
            Set(socket, level, name, value, kind, $"{label} = {value}");
        }
    }

    public bool Set(SocketHandle socket, int level, int name, int value, FallbackKind kind, string option)
    {
        var result = socket.SetOption(level, name, value);
        if (!result.Succeeded)
        {
            Report(result, kind, option);
        }

        return result.Succeeded;
    }

    public void Report(SysResult result, FallbackKind kind, string option) =>
        fellBack(kind, $"{option} for {target} was refused ({result.ErrorName}). {kind.Effect}");

    public void SetReceiveBuffer(SocketHandle socket, int size, FallbackKind kind) =>
        SetBuffer(socket, SocketCalls.SO_RCVBUF, size, kind, "SO_RCVBUF");

    public void SetSendBuffer(SocketHandle socket, int size, FallbackKind kind) =>
        SetBuffer(socket, SocketCalls.SO_SNDBUF, size, kind, "SO_SNDBUF");

    // The kernel accepts any size, caps it silently and doubles it for its own bookkeeping (socket(7)).
    private void SetBuffer(SocketHandle socket, int name, int size, FallbackKind kind, string label)
    {
        SetUnlessZero(socket, SocketCalls.SOL_SOCKET, name, size, kind, label);
        if (size > 0 && socket.GetOption(SocketCalls.SOL_SOCKET, name, out var doubled).Succeeded && doubled / 2 < size)
        {
            fellBack(kind, $"{label} for {target} is {doubled / 2} bytes instead of {size}.");
        }
    }
}

/// <summary>The sizes that options allow for a socket's buffers (SO_RCVBUF, SO_SNDBUF): 0 for the system's, or a range.</summary>
internal static class KernelBuffer
{
    public const int Minimum = 4 << 10;
    public const int Maximum = 512 << 20;

    /// <summary>The allowed sizes, as text to follow "must be".</summary>
    public static string Allowed => $"0 or from {Minimum} to {Maximum}";

    public static bool IsAllowed(int size) => size is 0 or (>= Minimum and <= Maximum);
}
