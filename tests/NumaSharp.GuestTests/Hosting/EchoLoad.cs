using System.Net.Sockets;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Hosting;

/// <summary>Connections that stay open and exchange with a server without a pause, until the end.</summary>
internal sealed class EchoLoad(SeeingServer server)
{
    private const int Connections = 4;

    private Task[] _clients = [];
    private long _answers;
    private volatile bool _isEnding;

    public void Start() => _clients = [.. Enumerable.Range(0, Connections).Select(_ => RunAsync())];

    /// <summary>Waits until each connection may have had so many more answers; throws what one of them threw.</summary>
    public async Task ServeAsync(int rounds)
    {
        var goal = Interlocked.Read(ref _answers) + (rounds * Connections);
        await Wait.UntilAsync(
            () => Interlocked.Read(ref _answers) >= goal || Array.Exists(_clients, static client => client.IsCompleted),
            () => "the answers of the server");
        if (Array.Find(_clients, static client => client.IsCompleted) is { } ended)
        {
            await ended;
            Assert.Fail("A connection has ended.");
        }
    }

    public async Task EndAsync()
    {
        _isEnding = true;
        await Task.WhenAll(_clients);
    }

    private async Task RunAsync()
    {
        using var client = await server.ConnectAsync();
        var stream = client.GetStream();
        var bytes = new byte[1000];
        while (!_isEnding)
        {
            await stream.WriteAsync(bytes);
            await stream.ReadExactlyAsync(bytes);
            Interlocked.Increment(ref _answers);
        }

        client.Client.Shutdown(SocketShutdown.Send);
        Assert.Equal(0, await stream.ReadAsync(bytes));
    }
}
