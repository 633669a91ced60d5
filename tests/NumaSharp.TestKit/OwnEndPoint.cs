using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace NumaSharp.TestKit;

/// <summary>
/// End points for tests that give a port up and count on it being free afterwards. The address is one of the loopback network
/// (127.0.0.0/8) that nothing else uses, and the port is outside the range from which the kernel chooses one: a socket of another
/// test or process that is bound to all addresses cannot get it either.
/// </summary>
public static class OwnEndPoint
{
    private const string PortRange = "/proc/sys/net/ipv4/ip_local_port_range";
    private const int FirstPort = 10_000;
    private const int LastPort = 65_535;

    /// <summary>An end point that is free for connections and for datagrams, and stays so until the caller binds it.</summary>
    public static IPEndPoint New()
    {
        while (true)
        {
            var (second, third, fourth) = (Random.Shared.Next(1, 255), Random.Shared.Next(256), Random.Shared.Next(1, 255));
            var candidate = new IPEndPoint(new IPAddress([127, (byte)second, (byte)third, (byte)fourth]), NextPort());
            if (IsFree(candidate, SocketType.Stream) && IsFree(candidate, SocketType.Dgram))
            {
                return candidate;
            }
        }
    }

    private static int NextPort()
    {
        var (first, last) = GivenOut();
        while (true)
        {
            var port = Random.Shared.Next(FirstPort, LastPort + 1);
            if (port < first || port > last || (first <= FirstPort && last >= LastPort))
            {
                return port;
            }
        }
    }

    // A server of this machine may have the port for all addresses.
    private static bool IsFree(IPEndPoint endPoint, SocketType type)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, type, ProtocolType.Unspecified);
        try
        {
            socket.Bind(endPoint);
            return true;
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.AddressAlreadyInUse)
        {
            return false;
        }
    }

    private static (int First, int Last) GivenOut()
    {
        if (!OperatingSystem.IsLinux())
        {
            // RFC 6335, section 6.
            return (49_152, LastPort);
        }

        var numbers = File.ReadAllText(PortRange).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries);
        return (int.Parse(numbers[0], CultureInfo.InvariantCulture), int.Parse(numbers[1], CultureInfo.InvariantCulture));
    }
}
