using System.Diagnostics;
using System.Globalization;
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
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private readonly List<Socket> _sockets = [];
    private readonly HttpScenario _scenario;
    private readonly TimeSpan _patience;
    private readonly byte[] _buffer;
    private int _answerBytes;

    private HttpLoad(HttpScenario scenario, TimeSpan patience)
    {
        (_scenario, _patience) = (scenario, patience);
        _buffer = new byte[MaxHeaderBytes + scenario.BodyBytes];
    }

    private static ReadOnlySpan<byte> Success => "HTTP/1.1 200 "u8;

    /// <summary>Connects, and learns how long an answer is.</summary>
    /// <param name="port">The server's.</param>
    /// <param name="scenario">The request.</param>
    /// <param name="patience">The longest wait for some of an answer, at least a millisecond; by default half a minute.</param>
    /// <exception cref="NumaException">The first answer is not one, or does not come.</exception>
    public static HttpLoad Open(int port, HttpScenario scenario, TimeSpan? patience = null)
    {
        var load = new HttpLoad(scenario, patience ?? s_patience);
        try
        {
            for (var i = 0; i < Connections; i++)
            {
                var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                load._sockets.Add(socket);
                (socket.NoDelay, socket.ReceiveTimeout) = (true, (int)load._patience.TotalMilliseconds);
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
    /// <exception cref="NumaException">An answer is not the expected one, or does not come.</exception>
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

    private int ReceiveSome(Socket socket, Span<byte> buffer)
    {
        if (buffer.IsEmpty)
        {
            throw new NumaException("the server's answer is longer than expected");
        }

        try
        {
            return socket.Receive(buffer) is > 0 and var count
                ? count
                : throw new NumaException("the server has closed a connection");
        }
        catch (SocketException exception)
            when (exception.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock)
        {
            // "Connection timed out" would not say that the connection is there.
            var wait = string.Create(CultureInfo.InvariantCulture, $"{_patience.TotalSeconds} s");
            throw new NumaException(
                $"the server has not answered a request for {wait}: it hangs, or the machine is too busy", exception);
        }
    }
}
