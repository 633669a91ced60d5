using System.Net;
using System.Net.Sockets;
using System.Text;

namespace NumaSharp.Benchmarks.Tests.Http.Load.OpenLoop;

/// <summary>Answers each request on a thread per connection.</summary>
internal sealed class PongServer : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Lock _counting = new();
    private readonly Action<int>? _before;
    private readonly byte[] _answer;
    private readonly Thread _accepting;
    private readonly List<(Socket Socket, Thread Thread)> _connections = [];
    private int _requests;

    /// <summary>Starts it.</summary>
    /// <param name="before">Called with a request's number before its answer; while it runs no connection is answered.</param>
    /// <param name="status">Of all answers.</param>
    public PongServer(Action<int>? before = null, string status = "200 OK")
    {
        _before = before;
        _answer = Encoding.ASCII.GetBytes($"HTTP/1.1 {status}\r\nContent-Length: 4\r\n\r\npong");
        _listener.Start();
        _accepting = TestThreads.Start(Accept);
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public int AnswerBytes => _answer.Length;

    public void Dispose()
    {
        _listener.Dispose();
        Wait.For(_accepting);

        // What a test has given as what comes before an answer is not called any more.
        foreach (var (socket, thread) in _connections)
        {
            socket.Dispose();
            Wait.For(thread);
        }
    }

    private void Accept()
    {
        try
        {
            while (true)
            {
                var socket = _listener.AcceptSocket();
                _connections.Add((socket, TestThreads.Start(() => Serve(socket))));
            }
        }
        catch (Exception exception) when (exception is SocketException or InvalidOperationException)
        {
            // Disposed, while it accepted or before: then the listener says that it was not started.
        }
    }

    private void Serve(Socket socket)
    {
        using var connection = socket;
        var request = new byte[1024];
        try
        {
            while (connection.Receive(request) > 0)
            {
                Answer(connection);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The client has left, or the test is over.
        }
    }

    private void Answer(Socket connection)
    {
        // The next one waits for the one that is held up, even where that has no CPU behind the count.
        lock (_counting)
        {
            _before?.Invoke(++_requests);
        }

        connection.Send(_answer);
    }
}
