using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;

namespace NumaSharp.Tool.Bench.Http;

/// <summary>
/// Clients on one thread: a request is in flight on every connection, and the thread takes the answers in turn. Two system calls
/// per request, so that the server, and not its clients, is the busy side.
/// </summary>
internal sealed class HttpLoad : IDisposable
{
    private const int Connections = 64;
    private const int MaxHeaderBytes = 4096;

    // Of a server that does not answer at all: one on a busy machine may get no CPU for seconds.
    private const int PatienceMilliseconds = 30_000;

    private readonly List<Socket> _sockets = [];
    private readonly HttpScenario _scenario;
    private readonly byte[] _buffer;
    private int _answerBytes;

    private HttpLoad(HttpScenario scenario)
    {
        _scenario = scenario;
        _buffer = new byte[MaxHeaderBytes + scenario.BodyBytes];
    }

    private static ReadOnlySpan<byte> Success => "HTTP/1.1 200 "u8;

    /// <summary>Connects, and learns how long an answer is.</summary>
    /// <exception cref="NumaException">The first answer is not one.</exception>
    public static HttpLoad Open(int port, HttpScenario scenario)
    {
        var load = new HttpLoad(scenario);
        try
        {
            for (var i = 0; i < Connections; i++)
            {
                var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                load._sockets.Add(socket);
                (socket.NoDelay, socket.ReceiveTimeout) = (true, PatienceMilliseconds);
                socket.Connect(IPAddress.Loopback, port);
            }

            load.MeasureAnswer();
            return load;
        }
        catch
        {
            load.Dispose();
            throw;
        }
    }

    /// <summary>Loads the server for that long.</summary>
    /// <returns>How many requests it has answered.</returns>
    public int Run(TimeSpan length, CancellationToken cancellation)
    {
        var start = Stopwatch.GetTimestamp();
        foreach (var socket in _sockets)
        {
            socket.Send(_scenario.Request);
        }

        var answers = Connections;
        while (Stopwatch.GetElapsedTime(start) < length)
        {
            cancellation.ThrowIfCancellationRequested();
            foreach (var socket in _sockets)
            {
                Receive(socket);
                socket.Send(_scenario.Request);
            }

            answers += Connections;
        }

        foreach (var socket in _sockets)
        {
            Receive(socket);
        }

        return answers;
    }

    public void Dispose() => _sockets.ForEach(static socket => socket.Dispose());

    // All answers have its length: their headers differ in the time of day only.
    private void MeasureAnswer()
    {
        _sockets[0].Send(_scenario.Request);
        var (received, header) = (0, -1);
        while (header < 0)
        {
            received += ReceiveSome(_sockets[0], _buffer.AsSpan(received));
            header = _buffer.AsSpan(0, received).IndexOf("\r\n\r\n"u8);
        }

        _answerBytes = header + 4 + _scenario.BodyBytes;
        Receive(_sockets[0], received);
    }

    private void Receive(Socket socket, int received = 0)
    {
        while (received < _answerBytes)
        {
            received += ReceiveSome(socket, _buffer.AsSpan(received, _answerBytes - received));
        }

        if (received > _answerBytes || !_buffer.AsSpan().StartsWith(Success))
        {
            throw new NumaException("the server's answer is not the expected one");
        }
    }

    private static int ReceiveSome(Socket socket, Span<byte> buffer) =>
        buffer.IsEmpty ? throw new NumaException("the server's answer is longer than expected")
        : socket.Receive(buffer) is > 0 and var count ? count
        : throw new NumaException("the server has closed a connection");
}
