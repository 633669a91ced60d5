using System.Net;
using System.Net.Sockets;

namespace NumaSharp.TestKit;

/// <summary>Containers often have no IPv6: the system supports it, and no interface has an address of it.</summary>
public static class IPv6
{
    private static readonly Lazy<bool> s_isThere = new(static () =>
    {
        if (!Socket.OSSupportsIPv6)
        {
            return false;
        }

        try
        {
            using var socket = new Socket(AddressFamily.InterNetworkV6, SocketType.Stream, ProtocolType.Tcp);
            socket.Bind(new IPEndPoint(IPAddress.IPv6Loopback, 0));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    });

    public static void SkipUnlessThere() => Assert.SkipUnless(s_isThere.Value, "This machine has no ::1.");

    /// <summary>Only for what is of that family.</summary>
    public static void SkipUnlessThere(AddressFamily family)
    {
        if (family == AddressFamily.InterNetworkV6)
        {
            SkipUnlessThere();
        }
    }
}
