using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

/// <summary>A client that decides what is on the wire: which bytes in which write, a FIN, an RST.</summary>
internal sealed class WireClient : IDisposable
{
    private byte[] _buffer = new byte[16 * 1024];
    private int _start;
    private int _end;

    public WireClient(Socket socket) => Socket = socket;

    public Socket Socket { get; }

    /// <summary>What has come and was not asked for yet.</summary>
    public string Unread => Encoding.ASCII.GetString(_buffer, _start, _end - _start);

    /// <param name="server">Where to.</param>
    /// <param name="receiveBuffer">The kernel's receive buffer in bytes, small where back-pressure is to be felt soon.</param>
    public static async Task<WireClient> ConnectAsync(EndPoint server, int? receiveBuffer = null)
    {
        var protocol = server.AddressFamily == AddressFamily.Unix ? ProtocolType.Unspecified : ProtocolType.Tcp;
        var socket = new Socket(server.AddressFamily, SocketType.Stream, protocol);
        try
        {
            if (receiveBuffer is { } bytes)
            {
                socket.ReceiveBufferSize = bytes;
            }

            if (protocol == ProtocolType.Tcp)
            {
                socket.NoDelay = true;
            }

            await socket.ConnectAsync(server).Within($"connect to {server}");
            return new WireClient(socket);
        }
        catch (Exception)
        {
            socket.Dispose();
            throw;
        }
    }

    public Task SendAsync(string text) => SendAsync(Encoding.ASCII.GetBytes(text));

    public async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            var sent = await Socket.SendAsync(bytes).Within("the client's send");
            bytes = bytes[sent..];
        }
    }

    public Task GetAsync(string path, string headers = "") => SendAsync($"GET {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n");

    /// <summary>FIN: nothing more will be sent; the receiving side stays open.</summary>
    public void EndSending() => Socket.Shutdown(SocketShutdown.Send);

    /// <summary>RST: the client is gone without a goodbye.</summary>
    public void Reset()
    {
        Socket.LingerState = new LingerOption(true, 0);
        Socket.Dispose();
    }

    /// <summary>One whole response, with a Content-Length or chunked.</summary>
    public async Task<WireResponse> ReceiveResponseAsync()
    {
        var lines = (await ReceiveHeadAsync()).Split("\r\n");
        var status = int.Parse(lines[0].Split(' ')[1], CultureInfo.InvariantCulture);
        var headers = lines.Skip(1)
            .Select(static line => line.Split(": ", 2))
            .ToDictionary(static pair => pair[0], static pair => pair[1], StringComparer.OrdinalIgnoreCase);
        if (headers.TryGetValue("Content-Length", out var length))
        {
            return new(status, headers, await ReceiveExactlyAsync(int.Parse(length, CultureInfo.InvariantCulture)));
        }

        var chunked = headers.TryGetValue("Transfer-Encoding", out var encoding) && encoding == "chunked";
        return chunked ? await ReceiveChunksAsync(status, headers) : new(status, headers, []);
    }

    public async Task<byte[]> ReceiveExactlyAsync(int count)
    {
        while (_end - _start < count)
        {
            await FillAsync();
        }

        var bytes = _buffer[_start..(_start + count)];
        _start += count;
        return bytes;
    }

    /// <summary>Waits for bytes that were not asked for yet; false for the server's FIN.</summary>
    public async Task<bool> WaitForBytesAsync() => _start < _end || await TryFillAsync();

    /// <summary>Everything up to the server's FIN.</summary>
    public async Task<byte[]> ReceiveToEndAsync()
    {
        while (await TryFillAsync())
        {
        }

        return _buffer[_start.._end];
    }

    /// <summary>Reads until the server's RST; anything else, a FIN too, fails. A Unix socket only knows an end.</summary>
    public async Task ExpectResetAsync()
    {
        if (Socket.AddressFamily == AddressFamily.Unix)
        {
            await ReceiveToEndAsync();
            return;
        }

        var error = await Assert.ThrowsAsync<SocketException>(ReceiveToEndAsync);
        Assert.Equal(SocketError.ConnectionReset, error.SocketErrorCode);
    }

    public void Dispose() => Socket.Dispose();

    private async Task<string> ReceiveHeadAsync()
    {
        int length;
        while ((length = _buffer.AsSpan(_start, _end - _start).IndexOf("\r\n\r\n"u8)) < 0)
        {
            await FillAsync();
        }

        var head = Encoding.ASCII.GetString(_buffer, _start, length);
        _start += length + 4;
        return head;
    }

    private async Task<WireResponse> ReceiveChunksAsync(int status, IReadOnlyDictionary<string, string> headers)
    {
        var body = new List<byte>();
        var chunks = new List<int>();
        while (true)
        {
            var size = int.Parse(await ReceiveLineAsync(), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
            body.AddRange(await ReceiveExactlyAsync(size));
            Assert.Equal("", await ReceiveLineAsync());
            if (size == 0)
            {
                return new(status, headers, [.. body]) { Chunks = chunks };
            }

            chunks.Add(size);
        }
    }

    private async Task<string> ReceiveLineAsync()
    {
        int length;
        while ((length = _buffer.AsSpan(_start, _end - _start).IndexOf("\r\n"u8)) < 0)
        {
            await FillAsync();
        }

        var line = Encoding.ASCII.GetString(_buffer, _start, length);
        _start += length + 2;
        return line;
    }

    private async Task FillAsync()
    {
        if (!await TryFillAsync())
        {
            Assert.Fail($"The server ended the connection; unread: '{Unread}'.");
        }
    }

    private async Task<bool> TryFillAsync()
    {
        if (_start > 0)
        {
            _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer);
            (_start, _end) = (0, _end - _start);
        }

        if (_end == _buffer.Length)
        {
            Array.Resize(ref _buffer, _buffer.Length * 2);
        }

        var received = await Socket.ReceiveAsync(_buffer.AsMemory(_end)).Within("the client's receive");
        _end += received;
        return received > 0;
    }
}
