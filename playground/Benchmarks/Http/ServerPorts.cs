using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>The loopback ports of one server, and its Unix socket.</summary>
internal sealed record ServerPorts(int Http, int H2c, int Https, int Raw)
{
    private const int PortsPerServer = 4;

    // Below the kernel's default range of ephemeral ports (32768 and up): the load itself cannot take one.
    private const int First = 25080;
    private const int Last = 26080;

    public string HttpUrl => Url("http", Http);

    public string H2cUrl => Url("http", H2c);

    public string HttpsUrl => Url("https", Https);

    public string RawUrl => Url("http", Raw);

    // Of this process, so that no other one has a file there; it is deleted with what killed servers leave.
    private static readonly Lazy<string> s_sockets = new(static () =>
    {
        var folder = Directory.CreateTempSubdirectory("numasharp-sockets-");
        AppDomain.CurrentDomain.ProcessExit += (_, _) => folder.Delete(recursive: true);
        return folder.FullName;
    });

    /// <summary>The path of its Unix socket.</summary>
    public string UnixSocket => Path.Combine(s_sockets.Value, string.Create(CultureInfo.InvariantCulture, $"{Http}.sock"));

    /// <summary>Free ports, without those in <paramref name="taken"/>, which it adds to.</summary>
    public static ServerPorts Choose(ISet<int> taken)
    {
        var ports = Enumerable.Range(First, Last - First).Where(port => !taken.Contains(port) && IsFree(port))
            .Take(PortsPerServer).ToArray();
        if (ports.Length < PortsPerServer)
        {
            throw new BenchmarkException(string.Create(
                CultureInfo.InvariantCulture, $"no {PortsPerServer} free ports on 127.0.0.1 from {First} to {Last - 1}"));
        }

        taken.UnionWith(ports);
        return new ServerPorts(ports[0], ports[1], ports[2], ports[3]);
    }

    private static bool IsFree(int port)
    {
        // The BCL sets SO_REUSEADDR on Linux: connections in TIME_WAIT do not matter, a listener does.
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
            socket.Listen();
            return true;
        }
        catch (SocketException failure) when (failure.SocketErrorCode
            is SocketError.AddressAlreadyInUse or SocketError.AccessDenied)
        {
            return false;
        }
    }

    private static string Url(string scheme, int port) =>
        string.Create(CultureInfo.InvariantCulture, $"{scheme}://127.0.0.1:{port}");
}
