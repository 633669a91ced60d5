using NumaSharp.Interop;

namespace NumaSharp.Sockets;

/// <summary>
/// Sets socket options. One that the kernel refuses is reported as a fallback, and the socket continues without it.
/// </summary>
/// <param name="target">What the sockets belong to, for messages.</param>
/// <param name="consequence">What happens without the option, for messages.</param>
/// <param name="fellBack">Called for each refused option with the feature and a message.</param>
internal sealed class SocketSettings(string target, string consequence, Action<string, string> fellBack)
{
    /// <summary>Sets an option, unless it is 0: the system's own value.</summary>
    public void SetUnlessZero(SocketHandle socket, int level, int name, int value, string feature, string label)
    {
        if (value != 0)
        {
            Set(socket, level, name, value, feature, $"{label} = {value}");
        }
    }

    public bool Set(SocketHandle socket, int level, int name, int value, string feature, string option)
    {
        var result = socket.SetOption(level, name, value);
        if (!result.Succeeded)
        {
            Report(result, feature, option);
        }

        return result.Succeeded;
    }

    public void Report(SysResult result, string feature, string option) =>
        fellBack(feature, $"{option} for {target} was refused ({result.ErrorName}). {consequence}");

    public void SetReceiveBuffer(SocketHandle socket, int size, string feature) =>
        SetBuffer(socket, SocketCalls.SO_RCVBUF, size, feature, "SO_RCVBUF", "net.core.rmem_max");

    public void SetSendBuffer(SocketHandle socket, int size, string feature) =>
        SetBuffer(socket, SocketCalls.SO_SNDBUF, size, feature, "SO_SNDBUF", "net.core.wmem_max");

    // The kernel accepts any size, caps it silently and doubles it for its own bookkeeping (socket(7)).
    private void SetBuffer(SocketHandle socket, int name, int size, string feature, string label, string limit)
    {
        SetUnlessZero(socket, SocketCalls.SOL_SOCKET, name, size, feature, label);
        if (size > 0 && socket.GetOption(SocketCalls.SOL_SOCKET, name, out var doubled).Succeeded && doubled / 2 < size)
        {
            fellBack(feature, $"{label} for {target} is {doubled / 2} bytes instead of {size}: raise {limit}.");
        }
    }
}
