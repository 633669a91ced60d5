using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

/// <summary>Both ends of one connection of a bare transport, and its listener.</summary>
internal sealed class RawConnection : IAsyncDisposable
{
    public RawConnection(IConnectionListener listener, ConnectionContext server, WireClient client) =>
        (Listener, Server, Client) = (listener, server, client);

    public IConnectionListener Listener { get; }

    /// <summary>The transport's end; a server's, except where the transport has made the connection.</summary>
    public ConnectionContext Server { get; }

    public WireClient Client { get; }

    public PipeReader Input => Server.Transport.Input;

    public PipeWriter Output => Server.Transport.Output;

    public static async Task<RawConnection> OpenAsync(
        IConnectionListenerFactory factory, EndPoint endPoint, int? receiveBuffer = null)
    {
        var listener = await factory.BindAsync(endPoint).Within("the bind");
        var client = await WireClient.ConnectAsync(listener.EndPoint, receiveBuffer);
        var server = await listener.AcceptAsync().Within("the accept");
        Assert.NotNull(server);
        return new(listener, server, client);
    }

    /// <summary>Reads until a sum of bytes is there, without consuming them.</summary>
    public async Task<ReadOnlySequence<byte>> PeekAsync(int count)
    {
        var read = await Input.ReadAtLeastAsync(count).Within($"{count} bytes arrive");
        Assert.True(read.Buffer.Length >= count, $"{read.Buffer.Length} of {count} bytes arrived before the end.");
        return read.Buffer;
    }

    /// <summary>Reads exactly so many bytes of the pattern, in whatever pieces they come.</summary>
    public async Task ReadPatternAsync(long count)
    {
        for (var position = 0L; position < count;)
        {
            var read = await Input.ReadAsync().Within("more bytes");
            Assert.False(read.Buffer.IsEmpty && read.IsCompleted, $"The end came after {position} of {count} bytes.");
            Pattern.Verify(read.Buffer, position);
            position += read.Buffer.Length;
            Assert.True(position <= count, $"{position - count} bytes too many.");
            Input.AdvanceTo(read.Buffer.End);
        }
    }

    /// <summary>Writes the pattern and flushes it once; the flush is the caller's to wait for.</summary>
    public ValueTask<FlushResult> WritePattern(long count)
    {
        for (var position = 0L; position < count;)
        {
            var piece = Pattern.At(position, (int)Math.Min(Pattern.LongestPiece, count - position));
            Output.Write(piece.Span);
            position += piece.Length;
        }

        return Output.FlushAsync();
    }

    public async Task ClientSendPatternAsync(long count)
    {
        for (var position = 0L; position < count; position += Pattern.LongestPiece)
        {
            await Client.SendAsync(Pattern.At(position, (int)Math.Min(Pattern.LongestPiece, count - position)));
        }
    }

    public async Task ClientReceivePatternAsync(long count)
    {
        for (var position = 0L; position < count;)
        {
            var piece = await Client.ReceiveExactlyAsync((int)Math.Min(Pattern.LongestPiece, count - position));
            Pattern.Verify(piece, position);
            position += piece.Length;
        }
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await Server.DisposeAsync().Within("the connection's disposal");
        await Listener.DisposeAsync().Within("the listener's disposal");
    }
}
