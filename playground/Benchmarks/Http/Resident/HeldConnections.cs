using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>Connections on which a request was sent, and that are kept.</summary>
internal sealed class HeldConnections : IDisposable
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(20);
    private readonly List<Socket> _sockets = [];

    private HeldConnections()
    {
    }

    /// <summary>Opens them one after the other: each sends the request and takes the answer up to an end.</summary>
    /// <param name="port">On 127.0.0.1.</param>
    /// <param name="count">How many.</param>
    /// <param name="request">What each sends.</param>
    /// <param name="end">What every answer ends with; nothing: no answer is read.</param>
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
            throw new BenchmarkException($"connection {opened} of {count} that shall be kept: {failure.Message}");
        }
        catch
        {
            held.Dispose();
            throw;
        }
    }

    /// <summary>Sends more on each.</summary>
    public void Send(ReadOnlySpan<byte> bytes)
    {
        foreach (var socket in _sockets)
        {
            socket.Send(bytes);
        }
    }

    /// <summary>Fails if the server has closed one.</summary>
    public void RequireOpen()
    {
        // One that was reset has an error, also where unread bytes are left.
        var closed = _sockets.Count(static socket => socket.Poll(0, SelectMode.SelectError)
            || (socket.Poll(0, SelectMode.SelectRead) && socket.Available == 0));
        if (closed > 0)
        {
            throw new BenchmarkException(
                $"{closed} of {_sockets.Count} connections that shall be kept were closed by the server");
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
                : throw new BenchmarkException("a connection that shall be kept was closed by the server, or answered too much");
        }
    }
}
