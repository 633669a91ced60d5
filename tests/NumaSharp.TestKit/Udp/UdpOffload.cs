using System.Net;
using System.Net.Sockets;

namespace NumaSharp.TestKit;

/// <summary>What the kernel itself says of cutting and joining datagrams (udp(7)), asked without our code.</summary>
public static class UdpOffload
{
    private const int SolUdp = 17;
    private const int UdpSegment = 103;
    private const int UdpGro = 104;

    private static readonly Lazy<bool> s_isThere = new(static () => Takes(UdpSegment, 100) && Takes(UdpGro, 1));

    public static void SkipUnlessThere() =>
        Assert.SkipUnless(s_isThere.Value, "This kernel neither cuts nor joins datagrams (UDP_SEGMENT, UDP_GRO).");

    private static bool Takes(int option, int value)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        try
        {
            socket.SetRawSocketOption(SolUdp, option, BitConverter.GetBytes(value));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
