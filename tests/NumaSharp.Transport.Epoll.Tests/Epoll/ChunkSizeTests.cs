using Microsoft.AspNetCore.Http;
using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;
using NumaSharp.Transport.Epoll.Tests.Sockets;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>
/// Where Kestrel cuts a body without a Content-Length into chunks follows the blocks that the transport gives it, so that is not
/// as with Kestrel's sockets. The body is.
/// </summary>
public sealed class ChunkSizeTests
{
    private const int Length = 1 << 20;

    // Of what Kestrel's sockets give, and the largest one of ours.
    private const int KestrelsBlock = 4 << 10;
    private const int LargestBlock = 128 << 10;

    [Fact]
    public async Task OneWrite_OneChunk()
    {
        RequestDelegate handler = static async context => await context.Response.Body.WriteAsync(Body());
        Assert.Equal([Length], await ChunksAsync(new SocketsFixture(), handler));
        Assert.Equal([Length], await ChunksAsync(new AdaptiveFixture(), handler));
    }

    [Fact]
    public async Task Pieces_ChunksFollowTheBlocks()
    {
        RequestDelegate handler = static async context =>
        {
            await context.Response.StartAsync();
            await WritePiecesAsync(context);
        };
        Assert.All(await ChunksAsync(new SocketsFixture(), handler), static size => Assert.InRange(size, 1, KestrelsBlock));
        var chunks = await ChunksAsync(new AdaptiveFixture(), handler);
        Assert.All(chunks, static size => Assert.InRange(size, 1, LargestBlock));
        Assert.Contains(chunks, static size => size > KestrelsBlock);
    }

    // Before the head is written Kestrel gives memory of its own.
    [Fact]
    public async Task Pieces_HeadNotYetWritten_ChunksAsWithKestrelsSockets()
    {
        Assert.Equal(
            await ChunksAsync(new SocketsFixture(), WritePiecesAsync),
            await ChunksAsync(new AdaptiveFixture(), WritePiecesAsync));
    }

    private static async Task WritePiecesAsync(HttpContext context)
    {
        const int LargestPiece = 1000;
        var writer = context.Response.BodyWriter;
        for (var position = 0; position < Length;)
        {
            var memory = writer.GetMemory();
            var piece = Pattern.At(position, Math.Min(Math.Min(memory.Length, LargestPiece), Length - position));
            piece.CopyTo(memory);
            writer.Advance(piece.Length);
            position += piece.Length;
        }

        await writer.FlushAsync();
    }

    private static byte[] Body()
    {
        var body = new byte[Length];
        for (var position = 0; position < Length; position += Pattern.LongestPiece)
        {
            Pattern.At(position, Pattern.LongestPiece).CopyTo(body.AsMemory(position));
        }

        return body;
    }

    private static async Task<IReadOnlyList<int>> ChunksAsync(TransportFixture transport, RequestDelegate handler)
    {
        await using (transport)
        {
            await using var server = await transport.StartServerAsync();
            using var client = await WireClient.ConnectAsync(server.Http);
            await client.GetAsync(server.On(handler));
            var response = await client.ReceiveResponseAsync();
            Assert.Equal(Length, response.Body.Length);
            Pattern.Verify(response.Body, 0);
            Assert.Equal("", server.TakeErrors());
            return response.Chunks;
        }
    }
}
