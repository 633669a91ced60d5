using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

/// <summary>A client of HTTP/2 without TLS that decides which frames are on the wire, and notes which ones it receives.</summary>
internal sealed class Http2Client : IDisposable
{
    /// <summary>How a connection ended, as the last entry of <see cref="ReceiveToEndAsync"/>.</summary>
    public const string End = "FIN";

    public const string Reset = "RST";

    private readonly WireClient _wire;
    private readonly List<string> _seen = [];

    private Http2Client(WireClient wire) => _wire = wire;

    /// <summary>
    /// What the server has sent about streams, and its GOAWAYs. Whether the end of a stream is in the body's last frame, or in an
    /// empty one that follows, is chance: the end is an entry of its own.
    /// </summary>
    public IReadOnlyList<string> Seen => _seen;

    /// <summary>Connects, and waits until the server has taken the client's settings.</summary>
    public static async Task<Http2Client> ConnectAsync(EndPoint server)
    {
        var client = new Http2Client(await WireClient.ConnectAsync(server));
        try
        {
            await client._wire.SendAsync("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
            await client.SendAsync(Http2FrameType.Settings);
            await client.ReceiveAsync(static frame => frame is { Type: Http2FrameType.Settings, IsAck: true });
            return client;
        }
        catch (Exception)
        {
            client.Dispose();
            throw;
        }
    }

    /// <returns>How many bytes that was.</returns>
    public Task<int> GetAsync(int stream, string path)
    {
        // HPACK: GET, http, a path, an authority.
        byte[] block = [0x82, 0x86, 0x04, (byte)path.Length, .. Encoding.ASCII.GetBytes(path), 0x01, 1, (byte)'x'];
        return SendAsync(Http2FrameType.Headers, stream, block, Http2Frame.EndStreamOrAck | Http2Frame.EndHeaders);
    }

    /// <summary>Nothing has gone wrong, and no further streams come.</summary>
    public Task<int> GoAwayAsync() => SendAsync(Http2FrameType.GoAway, payload: new byte[8]);

    /// <summary>Ends when the server has taken everything that was sent before.</summary>
    public async Task PingAsync()
    {
        await SendAsync(Http2FrameType.Ping, payload: new byte[8]);
        await ReceiveAsync(static frame => frame is { Type: Http2FrameType.Ping, IsAck: true });
    }

    /// <returns>How many bytes that was.</returns>
    public async Task<int> SendAsync(Http2FrameType type, int stream = 0, byte[]? payload = null, byte flags = 0)
    {
        var bytes = new Http2Frame(type, flags, stream, payload ?? []).ToBytes();
        await _wire.SendAsync(bytes);
        return bytes.Length;
    }

    /// <summary>FIN: nothing more will be sent; the receiving side stays open.</summary>
    public void EndSending() => _wire.EndSending();

    /// <summary>Receives up to a frame.</summary>
    public async Task<Http2Frame> ReceiveAsync(Predicate<Http2Frame> isWanted)
    {
        while (true)
        {
            var frame = await ReceiveFrameAsync();
            if (isWanted(frame))
            {
                return frame;
            }
        }
    }

    /// <summary>Receives up to the end of a stream.</summary>
    public Task ReceiveStreamAsync(int stream) => ReceiveAsync(frame => frame.EndsStream && frame.Stream == stream);

    /// <summary>Receives up to the connection's end, which is the last entry of what it returns.</summary>
    public async Task<IReadOnlyList<string>> ReceiveToEndAsync()
    {
        string? end;
        while ((end = await BytesOrEndAsync()) is null)
        {
            await ReceiveFrameAsync();
        }

        _seen.Add(end);
        return _seen;
    }

    public void Dispose() => _wire.Dispose();

    // Null when there are bytes.
    private async Task<string?> BytesOrEndAsync()
    {
        try
        {
            return await _wire.WaitForBytesAsync() ? null : End;
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
        {
            return Reset;
        }
    }

    private async Task<Http2Frame> ReceiveFrameAsync()
    {
        var head = await _wire.ReceiveExactlyAsync(Http2Frame.HeadLength);
        var payload = await _wire.ReceiveExactlyAsync(BinaryPrimitives.ReadInt32BigEndian(head) >> 8);
        var stream = BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(5));
        var frame = new Http2Frame((Http2FrameType)head[3], head[4], stream, payload);
        Note(frame);
        return frame;
    }

    private void Note(Http2Frame frame)
    {
        switch (frame.Type)
        {
            case Http2FrameType.Headers:
                _seen.Add($"HEADERS {frame.Stream}");
                break;
            case Http2FrameType.Data when frame.Payload.Length > 0:
                _seen.Add($"DATA {frame.Stream} {Encoding.ASCII.GetString(frame.Payload)}");
                break;
            case Http2FrameType.ResetStream:
                _seen.Add($"RST_STREAM {frame.Stream}, error {frame.ErrorCode}");
                break;
            case Http2FrameType.GoAway:
                _seen.Add($"GOAWAY {frame.LastStream}, error {frame.ErrorCode}");
                break;
        }

        if (frame.EndsStream)
        {
            _seen.Add($"END {frame.Stream}");
        }
    }
}
