using System.Net;
using System.Net.Sockets;
using System.Text;

namespace NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;

/// <summary>A keep-alive connection with at most one GET /ping in flight. Every answer is as long as the first one.</summary>
internal sealed class OpenLoopConnection : IDisposable
{
    private const int LongestAnswer = 4096;
    private static readonly byte[] s_request = "GET /ping HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"u8.ToArray();

    private readonly byte[] _received = new byte[LongestAnswer];
    private int _receivedBytes;

    /// <summary>Connects, and learns the length of an answer from a first request.</summary>
    public OpenLoopConnection(int port)
    {
        Socket.Connect(IPAddress.Loopback, port);
        Socket.Send(s_request);
        while (!_received.AsSpan(0, _receivedBytes).EndsWith(End))
        {
            ReceiveMore();
        }

        AnswerBytes = _receivedBytes;
        Check();
        Socket.Blocking = false;
    }

    private static ReadOnlySpan<byte> End => "\r\n\r\npong"u8;

    public Socket Socket { get; } = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    public int AnswerBytes { get; }

    /// <summary>When the request in flight was due.</summary>
    public long Due { get; private set; }

    public void Send(long due)
    {
        Due = due;
        _receivedBytes = 0;
        if (Socket.Send(s_request) != s_request.Length)
        {
            throw new BenchmarkException("open loop: the socket took a part of a small request only");
        }
    }

    /// <summary>Reads what is there; true when the whole answer has come.</summary>
    public bool Receive()
    {
        ReceiveMore();
        if (_receivedBytes < AnswerBytes)
        {
            return false;
        }

        Check();
        return true;
    }

    public void Dispose() => Socket.Dispose();

    private void ReceiveMore()
    {
        var count = Socket.Receive(_received.AsSpan(_receivedBytes));
        if (count == 0)
        {
            throw new BenchmarkException("open loop: the server closed the connection, or answered more than was asked");
        }

        _receivedBytes += count;
    }

    private void Check()
    {
        var answer = _received.AsSpan(0, _receivedBytes);
        if (!answer.StartsWith("HTTP/1.1 200 OK\r\n"u8) || !answer.EndsWith(End))
        {
            throw new BenchmarkException($"open loop: GET /ping answers '{Encoding.ASCII.GetString(answer)}'");
        }
    }
}
