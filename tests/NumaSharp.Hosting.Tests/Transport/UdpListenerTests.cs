using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Hosting.Settings;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Tests.Udp;

public sealed class UdpListenerTests
{
    [Fact]
    public async Task Listener_OfConfiguration_ServesWithTheHostAndStopsWithIt()
    {
        var builder = Builder(
            ("Udp:Echo:Address", "127.0.0.1"), ("Udp:Echo:Port", "0"), ("Udp:Echo:Shards", "2"), ("Udp:Echo:BatchSize", "8"),
            ("Udp:Echo:Gro", "false"), ("Udp:Echo:CoalesceDelay", "1ms"), ("Udp:Echo:ReceiveBufferSize", "100000"));
        var seen = new Seen();
        builder.Services.AddSingleton(seen);
        builder.AddNumaUdp<SeenEcho>("echo");
        using var host = builder.Build();
        await host.StartAsync();
        var socket = Assert.Single(host.Services.GetRequiredService<NumaUdpSocketFactory>().Sockets);
        Assert.Equal((2, 100_000, false), (socket.Shards.Length, socket.ReceiveBufferSize, socket.UsesGro));
        Assert.Equal(2, seen.Made);
        using var batch = socket.Shards[0].CreateBatch();
        Assert.Equal(8, batch.Capacity);
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        client.ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds;
        client.Connect(socket.LocalEndPoint);
        client.Send([1, 2]);
        Assert.Equal(2, client.Receive(new byte[4]));

        await host.StopAsync();
        Assert.Equal(2, seen.Disposed);
        Assert.Empty(host.Services.GetRequiredService<NumaUdpSocketFactory>().Sockets);
    }

    [Fact]
    public async Task Listener_OptionsInCode_AreAddedToTheSection()
    {
        var builder = Builder(("Udp:Echo:Address", "127.0.0.1"), ("Udp:Echo:Shards", "1"));
        builder.Services.AddSingleton(new Seen());
        builder.AddNumaUdp<SeenEcho>("echo", static udp => udp.Shards *= 2);
        using var host = builder.Build();
        await host.StartAsync();
        var socket = Assert.Single(host.Services.GetRequiredService<NumaUdpSocketFactory>().Sockets);
        Assert.Equal((2, IPAddress.Loopback), (socket.Shards.Length, ((IPEndPoint)socket.LocalEndPoint).Address));
        await host.StopAsync();
    }

    [Fact]
    public async Task Listener_OptionsInCodeAlone_AreEnough()
    {
        var builder = Builder();
        builder.Services.AddSingleton(new Seen());
        builder.AddNumaUdp<SeenEcho>("echo", static udp => (udp.Address, udp.Port, udp.Shards) = ("127.0.0.1", 0, 1));
        using var host = builder.Build();
        await host.StartAsync();
        Assert.Single(Assert.Single(host.Services.GetRequiredService<NumaUdpSocketFactory>().Sockets).Shards);
        await host.StopAsync();
    }

    [Fact]
    public async Task Listener_OptionWithoutAKey_IsThatOfCode()
    {
        var builder = Builder(("Udp:Echo:Port", "0"));
        builder.Services.AddSingleton(new Seen());
        builder.Services.PostConfigure<NumaOptions>(static options => options.Udp["echo"].TimeToLive = 300);
        builder.AddNumaUdp<SeenEcho>("echo");
        using var host = builder.Build();

        var refused = await Assert.ThrowsAsync<NumaOptionsException>(() => host.StartAsync());
        Assert.Equal(["Numa:Udp:Echo:TimeToLive = '300': must be from 0 to 255"], refused.Failures);
    }

    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("::1")]
    public async Task Stop_WithDatagramsQueued_HandlesThemFirst(string address)
    {
        var family = IPAddress.Parse(address).AddressFamily;
        IPv6.SkipUnlessThere(family);
        var builder = Builder(("Udp:a:Address", address), ("Udp:a:Shards", "1"));
        using var isStopping = new ManualResetEventSlim();
        var seen = new Seen { OnBatch = () => isStopping.Wait(Wait.Limit) };
        builder.Services.AddSingleton(seen);
        builder.AddNumaUdp<SeenEcho>("A");
        using var host = builder.Build();
        await host.StartAsync();
        var socket = Assert.Single(host.Services.GetRequiredService<NumaUdpSocketFactory>().Sockets);
        using var client = new Socket(family, SocketType.Dgram, ProtocolType.Udp);
        client.ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds;
        client.Connect(socket.LocalEndPoint);
        for (var i = 0; i < 100; i++)
        {
            client.Send([1]);
        }

        // The handler holds the first of them until the stop is under way.
        var stop = host.StopAsync();
        Assert.False(stop.IsCompleted);
        isStopping.Set();
        await stop.Within();
        for (var i = 0; i < 100; i++)
        {
            Assert.Equal(1, client.Receive(new byte[4]));
        }
    }

    [Fact]
    public async Task Start_PortInUse_IsRefusedWithItsNameAndNoHandlerIsLeft()
    {
        using var other = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        other.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        var port = ((IPEndPoint)other.LocalEndPoint!).Port;
        var builder = Builder(("Udp:dns:Address", "127.0.0.1"), ("Udp:dns:Port", $"{port}"));
        var seen = new Seen();
        builder.Services.AddSingleton(seen);
        builder.AddNumaUdp<SeenEcho>("dns");
        using (var host = builder.Build())
        {
            var refused = await Assert.ThrowsAsync<IOException>(() => host.StartAsync());
            Assert.Equal($"Numa:Udp:dns: bind for 127.0.0.1:{port} failed: EADDRINUSE.", refused.Message);
        }

        Assert.Equal(seen.Made, seen.Disposed);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Start_SectionThatIsNotThere_IsRefusedWithItsName(bool hasOptionsInCode)
    {
        var builder = Builder(("Udp:other:Port", "0"));
        builder.Services.AddSingleton(new Seen());
        builder.AddNumaUdp<SeenEcho>("dns", hasOptionsInCode ? static udp => udp.TimeToLive = 8 : null);
        using var host = builder.Build();
        var refused = await Assert.ThrowsAsync<NumaOptionsException>(() => host.StartAsync());
        Assert.StartsWith("Numa:Udp:dns is not set:", Assert.Single(refused.Failures), StringComparison.Ordinal);
    }

    [Fact]
    public void Settings_WrongOnes_AreReportedWithTheirNames()
    {
        var builder = Builder(
            ("Udp:dns:Port", "65536"), ("Udp:dns:Address", "localhost"), ("Udp:dns:BatchSize", "0"), ("Udp:ntp", "on"));
        builder.AddNuma();
        using var host = builder.Build();
        var refused = Assert.Throws<NumaOptionsException>(() => host.Start());
        Assert.Equal(
            [
                "Numa:Udp:dns:Address = 'localhost': must be '*' (any address), or an IP address such as '127.0.0.1' or '::1'",
                "Numa:Udp:dns:BatchSize = '0': must be an integer from 1 to 1024",
                "Numa:Udp:dns:Port = '65536': must be an integer from 0 to 65535",
                "Numa:Udp:ntp = 'on': must be a section, not a value",
            ],
            refused.Failures.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Options_SetInCode_Count()
    {
        var builder = Builder();
        builder.Services.AddSingleton(new Seen());
        builder.AddNumaUdp<SeenEcho>("x").Configure(
            static options => options.Udp["X"] = new NumaUdpListenerOptions { Address = "127.0.0.1", Shards = 1 });
        using var host = builder.Build();
        await host.StartAsync();
        Assert.Single(Assert.Single(host.Services.GetRequiredService<NumaUdpSocketFactory>().Sockets).Shards);
        await host.StopAsync();
    }

    private static HostApplicationBuilder Builder(params (string Key, string Value)[] settings)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "NUMA datagram sockets need Linux.");
        var builder = NumaHost.CreateBuilder();
        builder.Configuration.AddInMemoryCollection(
            settings.Select(static pair => KeyValuePair.Create($"Numa:{pair.Key}", (string?)pair.Value)));
        return builder;
    }

    private sealed class Seen
    {
        public Action? OnBatch { get; init; }

        public int Made;

        public int Disposed;
    }

    private sealed class SeenEcho : IDatagramHandler, IDisposable
    {
        private readonly Seen _seen;

        public SeenEcho(Seen seen)
        {
            _seen = seen;
            Interlocked.Increment(ref seen.Made);
        }

        public void OnBatch(in DatagramBatch batch)
        {
            _seen.OnBatch?.Invoke();
            foreach (var datagram in batch)
            {
                batch.Echo(datagram);
            }
        }

        public void Dispose() => Interlocked.Increment(ref _seen.Disposed);
    }
}
