using System.Globalization;
using System.Net;

namespace NumaSharp.TestKit;

/// <summary>
/// What waits in the receive queues of IPv4 sockets, by their lines in <c>/proc/net</c> (proc(5)). A send on loopback may return
/// before the bytes are there: on a busy machine the kernel delivers them later, on another thread, and what was sent after them
/// may come before them.
/// </summary>
public static class SocketTable
{
    /// <summary>The bytes of the datagrams in a socket, and what the kernel adds to each.</summary>
    public static long DatagramBytes(IPEndPoint socket) =>
        SocketsAt(AddressOf(socket))
            .Sum(static parts => long.Parse(parts[4].Split(':')[1], NumberStyles.HexNumber, CultureInfo.InvariantCulture));

    /// <summary>The datagrams that a socket had no room for.</summary>
    public static long DatagramsDropped(IPEndPoint socket) =>
        SocketsAt(AddressOf(socket)).Sum(static parts => long.Parse(parts[^1], CultureInfo.InvariantCulture));

    /// <summary>The inodes of the sockets with a port: their descriptors are links to "socket:[inode]".</summary>
    public static IEnumerable<string> DatagramInodes(int port) =>
        DatagramSockets()
            .Where(parts => parts[1].EndsWith($":{port:X4}", StringComparison.Ordinal))
            .Select(static parts => parts[9]);

    /// <summary>
    /// The packets that a CPU had no room for before it gave them to sockets, on loopback, too, since the machine started
    /// (<c>net.core.netdev_max_backlog</c>).
    /// </summary>
    public static long PacketsDropped() =>
        File.ReadLines("/proc/self/net/softnet_stat")
            .Sum(static line => long.Parse(line.Split(' ')[1], NumberStyles.HexNumber, CultureInfo.InvariantCulture));

    /// <summary>
    /// The columns of each line: "sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode ...".
    /// The kernel lists a socket twice when others came between two reads of the file.
    /// </summary>
    public static IEnumerable<string[]> Distinct(IEnumerable<string> lines) =>
        lines.Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)).DistinctBy(static parts => parts[9]);

    // As the kernel writes it: the address as a number, in hexadecimal digits.
    private static string AddressOf(IPEndPoint socket) =>
        $"{BitConverter.ToUInt32(socket.Address.GetAddressBytes()):X8}:{socket.Port:X4}";

    private static IEnumerable<string[]> SocketsAt(string address) => DatagramSockets().Where(parts => parts[1] == address);

    private static IEnumerable<string[]> DatagramSockets() => Distinct(File.ReadLines("/proc/self/net/udp"));
}
