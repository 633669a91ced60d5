using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Playground.Benchmarks.Http.Stops;

/// <summary>
/// A connection with one request in flight at any time, on a socket of its own: HTTP clients send again what was lost, and say
/// nothing of it.
/// </summary>
internal abstract class StopConnection(int port) : IDisposable
{
    /// <summary>The request: it is in the application most of the time, and never for long.</summary>
    protected const string Path = "/delay/5";

    /// <summary>The body of an answer.</summary>
    protected const string Body = "done";

    protected const string Host = "127.0.0.1";

    // By then the server has compiled the code for answers.
    private const int WarmAnswers = 20;
    private const int BufferBytes = 32 << 10;

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly TaskCompletionSource _warm = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly byte[] _buffer = new byte[BufferBytes];
    private int _first;
    private int _end;

    /// <summary>Completes when the connection has been used for a while.</summary>
    public Task Warm => _warm.Task;

    /// <summary>What was received and not yet consumed.</summary>
    protected ReadOnlySpan<byte> Received => _buffer.AsSpan(_first.._end);

    /// <summary>Sends one request after the other, until the connection ends.</summary>
    public async Task<StopCounts> RunAsync(CancellationToken cancellation)
    {
        await OpenAsync(cancellation);
        var outcome = StopOutcome.Answered;
        var sent = 0;
        while (outcome == StopOutcome.Answered && await TrySendAsync(NextRequest(), cancellation))
        {
            sent++;
            outcome = await ReceiveAnswerAsync(cancellation);
            if (sent == WarmAnswers)
            {
                _warm.TrySetResult();
            }
        }

        // As clients do with a connection that takes no more requests: the server need not wait for them.
        _socket.Dispose();
        return new StopCounts(sent, outcome == StopOutcome.Lost ? 1 : 0, outcome == StopOutcome.Refused ? 1 : 0);
    }

    public void Dispose() => _socket.Dispose();

    /// <summary>The first bytes of a connection; null for none.</summary>
    protected abstract byte[]? Opening { get; }

    protected abstract byte[] NextRequest();

    protected abstract Task<StopOutcome> ReceiveAnswerAsync(CancellationToken cancellation);

    protected void Consume(int bytes) => _first += bytes;

    private async Task OpenAsync(CancellationToken cancellation)
    {
        try
        {
            await _socket.ConnectAsync(IPAddress.Loopback, port, cancellation);
        }
        catch (SocketException failure)
        {
            throw new BenchmarkException(string.Create(null, $"a connection to port {port} is not accepted: {failure.Message}"));
        }

        if (Opening is { } opening && !await TrySendAsync(opening, cancellation))
        {
            throw new BenchmarkException("a connection ended before its first request");
        }
    }

    /// <summary>Whether all of the bytes were taken; they were not where the connection has ended.</summary>
    protected async Task<bool> TrySendAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellation)
    {
        try
        {
            while (bytes.Length > 0)
            {
                bytes = bytes[await _socket.SendAsync(bytes, cancellation)..];
            }

            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    /// <summary>Whether something was received; nothing was where the connection has ended, in order or by a reset.</summary>
    protected async Task<bool> TryReceiveAsync(CancellationToken cancellation)
    {
        Received.CopyTo(_buffer);
        (_first, _end) = (0, _end - _first);
        if (_end == _buffer.Length)
        {
            throw new BenchmarkException($"{Path} answers more than {BufferBytes} bytes");
        }

        try
        {
            var count = await _socket.ReceiveAsync(_buffer.AsMemory(_end), cancellation);
            _end += count;
            return count > 0;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
