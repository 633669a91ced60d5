using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>Connections that have been used once and are idle since.</summary>
internal sealed class HeldConnections : IDisposable
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(20);
    private readonly List<Socket> _sockets = [];

    private HeldConnections()
    {
    }

    /// <summary>Opens them one after the other: each sends the request and takes the whole answer.</summary>
    /// <param name="port">On 127.0.0.1.</param>
    /// <param name="count">How many.</param>
    /// <param name="request">What each sends.</param>
    /// <param name="end">What every answer ends with.</param>
    /// <param name="cancellation">Ends it early.</param>
    public static HeldConnections Open(
        int port, int count, ReadOnlySpan<byte> request, ReadOnlySpan<byte> end, CancellationToken cancellation)
    {
        var held = new HeldConnections();
        try
        {
            var answer = new byte[4096];
            for (var i = 0; i < count; i++)
            {
                cancellation.ThrowIfCancellationRequested();
                var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                held._sockets.Add(socket);
                socket.NoDelay = true;
                socket.ReceiveTimeout = (int)s_limit.TotalMilliseconds;
                socket.Connect(IPAddress.Loopback, port);
                socket.Send(request);
                Receive(socket, answer, end);
            }

            return held;
        }
        catch (SocketException failure)
        {
            var opened = held._sockets.Count;
            held.Dispose();
            throw new BenchmarkException($"connection {opened} of {count} that shall be idle: {failure.Message}");
        }
        catch
        {
            held.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        foreach (var socket in _sockets)
        {
            socket.Dispose();
        }
    }

    private static void Receive(Socket socket, Span<byte> answer, ReadOnlySpan<byte> end)
    {
        for (var received = 0; !answer[..received].EndsWith(end);)
        {
            var count = socket.Receive(answer[received..]);
            received += count > 0
                ? count
                : throw new BenchmarkException("a connection that shall be idle was closed by the server, or answered too much");
        }
    }
}
