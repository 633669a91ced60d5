using System.Text;
using Microsoft.AspNetCore.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

/// <summary>A peer's reset, as the reader sees it. Not for Unix sockets, which know only an end.</summary>
public abstract class ResetSuite(TransportFixture transport) : RawSuite(transport)
{
    [Fact]
    public async Task ReadAsync_PeerResets_ThrowsConnectionReset()
    {
        await using var connection = await OpenAsync();
        var pending = connection.Input.ReadAsync();
        connection.Client.Reset();
        await Assert.ThrowsAsync<ConnectionResetException>(() => pending.Within());
        await Assert.ThrowsAsync<ConnectionResetException>(() => connection.Input.ReadAsync().Within());
    }

    [Fact]
    public async Task ReadAsync_PeerResetsWithDataUnread_ThrowsAndTheDataIsLost()
    {
        await using var connection = await OpenAsync();
        await connection.Client.SendAsync("hello");
        var buffer = await connection.PeekAsync(5);
        connection.Client.Reset();
        await connection.Server.ConnectionClosed.Within("the reset is seen");
        Assert.Equal("hello", Encoding.ASCII.GetString(buffer)); // What was handed out stays readable until AdvanceTo.
        connection.Input.AdvanceTo(buffer.Start, buffer.GetPosition(1));
        await Assert.ThrowsAsync<ConnectionResetException>(() => connection.Input.ReadAsync().Within());
    }
}
