using System.Buffers;
using System.Net.WebSockets;

namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>/ws: every message comes back, fragment by fragment.</summary>
internal sealed class WebSocketEndpoint(Departures departures, IHostApplicationLifetime lifetime)
{
    private const int BufferSizeBytes = 16 * 1024;

    /// <summary>The WebSocket middleware adds a feature to every request that passes it: only these may.</summary>
    public RequestDelegate Build(IEndpointRouteBuilder endpoints)
    {
        var pipeline = endpoints.CreateApplicationBuilder();
        pipeline.UseWebSockets(new WebSocketOptions { KeepAliveInterval = Timeout.InfiniteTimeSpan });
        pipeline.Run(HandleAsync);
        return pipeline.Build();
    }

    private async Task HandleAsync(HttpContext context)
    {
        if (!context.WebSockets.IsWebSocketRequest)
        {
            await Reply.RefuseAsync(context, "/ws: this is a WebSocket; the request is not an upgrade to one.");
            return;
        }

        using var socket = await context.WebSockets.AcceptWebSocketAsync();
        using var leave = lifetime.ApplicationStopping.Register(static state => _ = SayGoodbyeAsync((WebSocket)state!), socket);
        var buffer = ArrayPool<byte>.Shared.Rent(BufferSizeBytes);
        try
        {
            await EchoAsync(socket, buffer, context.RequestAborted);
        }
        catch (Exception exception) when (exception is WebSocketException || Departures.IsOne(context, exception))
        {
            departures.Add();
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private static async Task EchoAsync(WebSocket socket, Memory<byte> buffer, CancellationToken aborted)
    {
        while (true)
        {
            var received = await socket.ReceiveAsync(buffer, aborted);
            if (received.MessageType == WebSocketMessageType.Close)
            {
                if (socket.State == WebSocketState.CloseReceived)
                {
                    // Not with the status that came: a close without one must not be answered by a frame that says 1005.
                    await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, aborted);
                }

                return;
            }

            await socket.SendAsync(buffer[..received.Count], received.MessageType, received.EndOfMessage, aborted);
        }
    }

    private static async Task SayGoodbyeAsync(WebSocket socket)
    {
        try
        {
            await socket.CloseOutputAsync(WebSocketCloseStatus.EndpointUnavailable, "stopping", CancellationToken.None);
        }
        catch (Exception exception)
            when (exception is WebSocketException or ObjectDisposedException or OperationCanceledException)
        {
            // The client was faster: its receive loop ends, which is all that the goodbye is for.
            return;
        }
    }
}
