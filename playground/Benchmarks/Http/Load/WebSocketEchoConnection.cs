using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>
/// One WebSocket with one message in flight. The frame is built once and each echo is compared as a whole, so that the
/// client costs little more than a send and a receive per message.
/// </summary>
internal sealed class WebSocketEchoConnection : IDisposable
{
    // The pair of the example in RFC 6455, section 1.3.
    private const string Key = "dGhlIHNhbXBsZSBub25jZQ==";
    private const string Accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
    private const int CloseTimeoutMilliseconds = 5000;
    private static readonly byte[] s_closeNormally = [0x03, 0xe8];

    private readonly byte[] _message;
    private readonly byte[] _echo;
    private readonly byte[] _received;
    private int _receivedBytes;
    private long _sentAt;

    public WebSocketEchoConnection(ReadOnlySpan<byte> payload, ReadOnlySpan<byte> mask)
    {
        _message = WebSocketFrame.FromClient(WebSocketFrame.Binary, payload, mask);
        _echo = WebSocketFrame.FromServer(WebSocketFrame.Binary, payload);
        _received = new byte[_echo.Length];
    }

    public Socket Socket { get; } = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    public void Connect(int port)
    {
        Socket.Connect(IPAddress.Loopback, port);
        Socket.Send(Encoding.ASCII.GetBytes(
            $"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + $"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {Key}\r\n\r\n"));
        var answer = ReadHeaders();
        if (!answer.StartsWith("HTTP/1.1 101 ", StringComparison.Ordinal) || !answer.Contains(Accept, StringComparison.Ordinal))
        {
            throw new BenchmarkException($"GET /ws was not upgraded: {answer.Split("\r\n")[0]}");
        }

        Socket.Blocking = false;
    }

    public void Send()
    {
        _receivedBytes = 0;
        _sentAt = Stopwatch.GetTimestamp();
        if (Socket.Send(_message) != _message.Length)
        {
            throw new BenchmarkException("WebSocket: the socket took a part of a small message only");
        }
    }

    /// <summary>Reads what is there; returns the round trip in microseconds once the whole echo has come.</summary>
    public int? Receive()
    {
        var count = Socket.Receive(_received.AsSpan(_receivedBytes));
        if (count == 0)
        {
            throw new BenchmarkException("WebSocket: the server closed the connection");
        }

        _receivedBytes += count;
        if (_receivedBytes < _echo.Length)
        {
            return null;
        }

        return _received.AsSpan().SequenceEqual(_echo)
            ? (int)Stopwatch.GetElapsedTime(_sentAt).TotalMicroseconds
            : throw new BenchmarkException("WebSocket: the echo is not what was sent");
    }

    /// <summary>The closing handshake; without it the server would end with an exception, and its cost.</summary>
    public void Close()
    {
        Socket.Blocking = true;
        Socket.ReceiveTimeout = CloseTimeoutMilliseconds;
        Socket.Send(WebSocketFrame.FromClient(WebSocketFrame.Close, s_closeNormally, "mask"u8));
        while (Socket.Receive(_received) > 0)
        {
            // The server's close frame; it ends the connection after it.
        }
    }

    public void Dispose() => Socket.Dispose();

    private string ReadHeaders()
    {
        var answer = new StringBuilder();
        var one = new byte[1];
        while (!answer.ToString().EndsWith("\r\n\r\n", StringComparison.Ordinal) && Socket.Receive(one) == 1)
        {
            answer.Append((char)one[0]);
        }

        return answer.ToString();
    }
}
