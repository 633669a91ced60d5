using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace NumaSharp.TestKit;

/// <summary>
/// How many datagrams of one size wait in a socket, by its line in <c>/proc/net/udp</c> (proc(5)). A send on loopback may return
/// before the datagram is there: on a busy machine the kernel delivers it later, on another thread.
/// </summary>
public sealed class ReceiveQueue
{
    private readonly string _address;
    private readonly long _bytesOfOne;

    /// <param name="socket">The socket's address.</param>
    /// <param name="size">The size of the datagrams.</param>
    public ReceiveQueue(IPEndPoint socket, int size)
    {
        _address = AddressOf(socket);

        // What one costs, headers and all, is the kernel's business: another socket is sent one.
        using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        probe.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        client.Connect(probe.LocalEndPoint!);
        client.Send(new byte[size]);
        var address = AddressOf((IPEndPoint)probe.LocalEndPoint!);
        var bytes = 0L;
        Wait.Until(() => (bytes = BytesOf(address)) > 0);
        _bytesOfOne = bytes;
    }

    public long Count => BytesOf(_address) / _bytesOfOne;

    /// <summary>Waits until so many are there.</summary>
    public void WaitFor(int count) => Wait.Until(() => Count >= count, () => $"{Count}", $"{count} datagrams are queued");

    // As the kernel writes it: the address as a number, in hexadecimal digits.
    private static string AddressOf(IPEndPoint socket) =>
        $"{BitConverter.ToUInt32(socket.Address.GetAddressBytes()):X8}:{socket.Port:X4}";

    // "sl local_address rem_address st tx_queue:rx_queue ...".
    private static long BytesOf(string address) =>
        File.ReadLines("/proc/self/net/udp")
            .Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .Where(parts => parts[1] == address)
            .Sum(static parts => long.Parse(parts[4].Split(':')[1], NumberStyles.HexNumber, CultureInfo.InvariantCulture));
}
