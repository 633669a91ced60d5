using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Benchmarks.Tests.Http.Stops;

/// <summary>What the test says is done with each connection; then it is closed.</summary>
internal sealed class StopServer : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);

    public StopServer(Func<NetworkStream, Task> serve)
    {
        _listener.Start();
        _ = AcceptAsync(serve);
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public static async Task ReceiveHttp1Async(NetworkStream stream)
    {
        var end = 0;
        var received = new byte[1];
        while (end < 4)
        {
            await stream.ReadExactlyAsync(received);
            end = received[0] == "\r\n\r\n"u8[end] ? end + 1 : 0;
        }
    }

    public static async Task<(byte Type, byte Flags, int Stream, byte[] Payload)> ReceiveFrameAsync(NetworkStream stream)
    {
        var head = new byte[9];
        await stream.ReadExactlyAsync(head);
        var payload = new byte[BinaryPrimitives.ReadInt32BigEndian(head) >>> 8];
        await stream.ReadExactlyAsync(payload);
        return (head[3], head[4], BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(5)), payload);
    }

    public static byte[] Frame(byte type, byte flags, int stream, params byte[] payload) =>
        [0, 0, (byte)payload.Length, type, flags, 0, 0, 0, (byte)stream, .. payload];

    public void Dispose() => _listener.Dispose();

    private async Task AcceptAsync(Func<NetworkStream, Task> serve)
    {
        try
        {
            while (true)
            {
                _ = ServeAsync(await _listener.AcceptSocketAsync(), serve);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // Disposed.
        }
    }

    private static async Task ServeAsync(Socket socket, Func<NetworkStream, Task> serve)
    {
        await using var stream = new NetworkStream(socket, ownsSocket: true);
        try
        {
            await serve(stream);
        }
        catch (IOException)
        {
            // The client has left.
        }
    }
}
