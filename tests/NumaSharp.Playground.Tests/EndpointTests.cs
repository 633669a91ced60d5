using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;

namespace NumaSharp.Playground.Tests;

/// <summary>What the benchmarks ask the app for.</summary>
public sealed class EndpointTests
{
    private const string AnyPort = "--urls http://127.0.0.1:0";
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    public EndpointTests() =>
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The tests start the app with sh and stop it with kill.");

    [Fact]
    public async Task Memory_AskedTwice_SaysWhatWasAllocatedBetween()
    {
        await using var web = await WebProcess.StartAsync(AnyPort);
        using var client = new HttpClient { BaseAddress = Assert.Single(web.Addresses) };
        var (allocated, time) = await MemoryAsync(client);
        await client.GetStringAsync(new Uri("/where", UriKind.Relative));
        var (allocatedLater, later) = await MemoryAsync(client);

        Assert.True(allocated > 0);
        Assert.True(allocatedLater > allocated);
        Assert.True(later > time);
    }

    [Fact]
    public async Task Collect_Posted_SaysWhatLives()
    {
        await using var web = await WebProcess.StartAsync(AnyPort);
        using var client = new HttpClient { BaseAddress = Assert.Single(web.Addresses) };
        using var response = await client.PostAsync(new Uri("/collect", UriKind.Relative), content: null);
        var alive = long.Parse(await response.Content.ReadAsStringAsync(), CultureInfo.InvariantCulture);

        Assert.InRange(alive, 1, (await MemoryAsync(client)).Allocated);
        using var got = await client.GetAsync(new Uri("/collect", UriKind.Relative));
        Assert.Equal(HttpStatusCode.MethodNotAllowed, got.StatusCode);
    }

    [Theory]
    [InlineData("")]
    [InlineData("--Numa:Transport:Dispatch=Node")]
    [InlineData("--Numa:Transport:Enabled=false")]
    public async Task RawUrl_Bytes_ComeBackWithoutHttp(string arguments)
    {
        await using var web = await WebProcess.StartAsync($"{AnyPort} --RawUrl=http://127.0.0.1:0 {arguments}");
        var raw = web.Addresses[^1];
        Assert.Equal(2, web.Addresses.Length);
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        using var patience = new CancellationTokenSource(s_patience);
        await socket.ConnectAsync(raw.Host, raw.Port, patience.Token);
        foreach (var length in new[] { 1, 5, 100_000 })
        {
            var sent = new byte[length];
            Random.Shared.NextBytes(sent);
            var sending = SendAllAsync(socket, sent, patience.Token);
            var received = new byte[length];
            await using var stream = new NetworkStream(socket, ownsSocket: false);
            await stream.ReadExactlyAsync(received, patience.Token);
            await sending;

            Assert.Equal(sent, received);
        }

        socket.Shutdown(SocketShutdown.Send);
        Assert.Equal(0, await socket.ReceiveAsync(new byte[1], patience.Token));
        using var client = new HttpClient { BaseAddress = web.Addresses[0] };
        Assert.Equal("pong", await client.GetStringAsync(new Uri("/ping", UriKind.Relative)));
    }

    private static async Task SendAllAsync(Socket socket, ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[await socket.SendAsync(bytes, cancellationToken)..];
        }
    }

    private static async Task<(long Allocated, long Nanoseconds)> MemoryAsync(HttpClient client)
    {
        using var answer = JsonDocument.Parse(await client.GetStringAsync(new Uri("/memory", UriKind.Relative)));
        return (
            answer.RootElement.GetProperty("allocated").GetInt64(),
            answer.RootElement.GetProperty("nanoseconds").GetInt64());
    }
}
