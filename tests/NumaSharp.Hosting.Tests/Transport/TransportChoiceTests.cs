using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Hosting.Transport;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Tests.Transport;

/// <summary>Whether the application has asked for Kestrel's sockets since AddNuma().</summary>
public sealed class TransportChoiceTests
{
    public TransportChoiceTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

    public static TheoryData<string> AskingForSockets => ["UseSockets", "UseSocketsWithOptions", "KestrelThenSockets", "Removed"];

    public static TheoryData<string> AskingForNothing => ["Nothing", "UseKestrel", "SocketOptions", "Before"];

    [Theory]
    [MemberData(nameof(AskingForSockets))]
    public async Task Server_SocketsAfterAddNuma_ServesThroughThemAndSaysSo(string order)
    {
        var log = new RecordingLog(from: LogLevel.Information);
        await using var server = await StartAsync(order, log);
        Assert.Equal([1], await server.EchoAsync([1], HttpVersion.Version11));
        Assert.False(server.Services.GetRequiredService<EpollTransportFactory>().IsRunning);
        Assert.Single(log.TextsOf(709));
        Assert.Contains("Transport: Kestrel's own.", Assert.Single(log.TextsOf(700)), StringComparison.Ordinal);
        await server.StopAsync();
    }

    [Theory]
    [MemberData(nameof(AskingForNothing))]
    public async Task Server_OtherwiseConfigured_ServesThroughTheNumaTransport(string order)
    {
        var log = new RecordingLog(from: LogLevel.Information);
        await using var server = await StartAsync(order, log);
        Assert.Equal([1], await server.EchoAsync([1], HttpVersion.Version11));
        Assert.True(server.Services.GetRequiredService<EpollTransportFactory>().IsRunning);
        Assert.Empty(log.TextsOf(709));
        await server.StopAsync();
    }

    [Fact]
    public async Task Server_OffAndSocketsAfterAddNuma_SaysNothing()
    {
        var log = new RecordingLog(from: LogLevel.Information);
        await using var server = await StartAsync("UseSockets", log, ("Enabled", "false"));
        Assert.Empty(log.TextsOf(709));
        await server.StopAsync();
    }

    private static Task<WebServer> StartAsync(string order, RecordingLog log, params (string Key, string? Value)[] settings)
    {
        var builder = WebServer.CreateBuilder(
            HttpProtocols.Http1, [("Topology:Provider", "SingleNode"), ("Transport:LoopsPerNode", "1"), .. settings]);
        builder.Logging.AddProvider(log);
        if (order == "Before")
        {
            builder.WebHost.UseSockets();
        }

        builder.AddNuma();
        switch (order)
        {
            case "UseSockets":
                builder.WebHost.UseSockets();
                break;
            case "UseSocketsWithOptions":
                builder.WebHost.UseSockets(static options => options.Backlog = 7);
                break;
            case "KestrelThenSockets":
                builder.WebHost.UseKestrel();
                builder.WebHost.UseSockets();
                break;
            case "Removed":
                builder.Services.RemoveAll<IConnectionListenerFactory>();
                builder.WebHost.UseSockets();
                break;
            case "UseKestrel":
                builder.WebHost.UseKestrel(static options => options.AddServerHeader = false);
                break;
            case "SocketOptions":
                builder.Services.Configure<SocketTransportOptions>(static options => options.Backlog = 7);
                break;
        }

        return WebServer.StartAsync(builder);
    }
}
