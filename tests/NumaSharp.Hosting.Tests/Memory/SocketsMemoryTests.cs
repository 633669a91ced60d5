using System.Buffers;
using System.Diagnostics.Metrics;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;
using NumaSharp.Hosting.Memory;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Hosting.Tests.Telemetry;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Hosting.Tests.Transport;

public sealed class SocketsMemoryTests
{
    private static readonly byte[] s_body = Enumerable.Range(0, 300_000).Select(static i => (byte)(i * 31)).ToArray();

    [Theory]
    [InlineData("1.1", 64)]
    [InlineData("1.1", 4096)]
    [InlineData("2.0", 4096)]
    [InlineData("2.0", 65536)]
    public async Task Server_StockSockets_RentsFromTheNodesAndGivesAllBack(string protocol, int blockSize)
    {
        var version = Version.Parse(protocol);
        using var machine = NumaHost.TwoNodes();
        var builder = CreateBuilder(version, ("Memory:BlockSize", $"{blockSize}"));
        builder.AddNuma(numa => numa.AddMachine(machine));
        MemoryPool<byte>? seen = null;
        await using var server = await WebServer.StartAsync(
            builder, context => seen = context.Features.Get<IMemoryPoolFeature>()?.MemoryPool);

        for (var i = 0; i < 3; i++)
        {
            Assert.Equal(s_body, await server.EchoAsync(s_body, version));
        }

        Assert.IsType<CurrentNodePool>(seen);
        var pool = server.Services.GetRequiredService<CurrentNodePoolFactory>().Pools![0];
        Assert.Equal(Math.Max(blockSize, 4096), pool.BlockSize);
        Assert.InRange(pool.CommittedBytes, 1, 64 << 20);
        Assert.Contains(machine.CallsOf(SimulatedOperation.Bind), static bind => bind.NodeId?.Value == 0);
        var metrics = MetricReading.Take(server.Services.GetRequiredService<IMeterFactory>());
        Assert.True(metrics.PerNode(NumaTelemetry.PoolCommitted)[0] >= pool.CommittedBytes);
        Assert.Empty(server.Services.GetRequiredService<NumaFallbacks>().Current);

        await server.StopAsync();
        Assert.Throws<ObjectDisposedException>(() => seen!.Rent());
        await Wait.UntilAsync(() => pool.RentedBlocks == 0, () => $"{pool.RentedBlocks} blocks");
    }

    [Fact]
    public async Task Server_WhileARequestRuns_HasRentedBlocks()
    {
        using var machine = NumaHost.TwoNodes();
        var builder = CreateBuilder(HttpVersion.Version11);
        builder.AddNuma(numa => numa.AddMachine(machine));
        long rented = 0;
        IServiceProvider? services = null;
        await using var server = await WebServer.StartAsync(builder, _ =>
        {
            var pools = services!.GetRequiredService<CurrentNodePoolFactory>().Pools!;
            rented = pools[0].RentedBlocks + pools[1].RentedBlocks;
        });
        services = server.Services;
        await server.EchoAsync(s_body, HttpVersion.Version11);

        Assert.InRange(rented, 1, 1000);
    }

    [Fact]
    public async Task Server_BindingRefused_ServesAndSaysSo()
    {
        using var machine = NumaHost.TwoNodes(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM));
        var builder = CreateBuilder(HttpVersion.Version11);
        builder.AddNuma(numa => numa.AddMachine(machine));
        await using var server = await WebServer.StartAsync(builder);

        Assert.Equal(s_body, await server.EchoAsync(s_body, HttpVersion.Version11));
        Assert.Equal(
            ["memory.bind"],
            server.Services.GetRequiredService<NumaFallbacks>().Current.Select(static fallback => fallback.Feature).Distinct());
    }

    [Fact]
    public async Task Server_Disabled_HasKestrelsOwnPool()
    {
        var builder = WebServer.CreateBuilder(HttpProtocols.Http1, ("Enabled", "false"));
        builder.AddNuma();
        await using var server = await WebServer.StartAsync(builder);

        Assert.Equal(s_body, await server.EchoAsync(s_body, HttpVersion.Version11));
        using var pool = server.Services.GetRequiredService<IMemoryPoolFactory<byte>>().Create();
        Assert.Equal("Microsoft.AspNetCore.Server.Kestrel.Core", pool.GetType().Assembly.GetName().Name);
        Assert.Null(server.Services.GetRequiredService<CurrentNodePoolFactory>().Pools);
    }

    [Fact]
    public async Task Server_OurTransport_MakesNoSecondSetOfPools()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs epoll(7)");
        var builder = WebServer.CreateBuilder(HttpProtocols.Http1);
        builder.AddNuma();
        await using var server = await WebServer.StartAsync(builder);

        Assert.Equal(s_body, await server.EchoAsync(s_body, HttpVersion.Version11));
        Assert.Null(server.Services.GetRequiredService<CurrentNodePoolFactory>().Pools);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Server_FactoryOfTheApplication_Stays(bool isFirst)
    {
        var mine = new OwnFactory();
        var builder = WebServer.CreateBuilder(HttpProtocols.Http1, ("Transport:Enabled", "false"));
        if (isFirst)
        {
            builder.Services.AddSingleton<IMemoryPoolFactory<byte>>(mine);
        }

        builder.AddNuma();
        if (!isFirst)
        {
            builder.Services.AddSingleton<IMemoryPoolFactory<byte>>(_ => mine);
        }

        await using var server = await WebServer.StartAsync(builder);
        Assert.Equal(s_body, await server.EchoAsync(s_body, HttpVersion.Version11));
        Assert.True(mine.Created > 0);
        Assert.Same(mine, server.Services.GetRequiredService<IMemoryPoolFactory<byte>>());
    }

    [Fact]
    public void Services_FactoryOfTheApplicationAsDelegate_Stays()
    {
        var mine = new OwnFactory();
        using var services = new ServiceCollection()
            .AddSingleton<IMemoryPoolFactory<byte>>(_ => mine)
            .AddNuma().Services.BuildServiceProvider(validateScopes: true);
        Assert.Same(mine, services.GetRequiredService<IMemoryPoolFactory<byte>>());
    }

    [Fact]
    public async Task Start_KestrelAddedAfterwards_SaysThatItsPoolsAreNotOurs()
    {
        using var host = new HostBuilder()
            .ConfigureServices(static services => services.AddNuma(static numa =>
                numa.Configure(static options => options.Transport.Enabled = false)))
            .ConfigureWebHost(static web => web
                .UseKestrel().UseUrls("http://127.0.0.1:0").Configure(static _ => { }))
            .Build();
        await host.StartAsync(TestContext.Current.CancellationToken);

        var fallback = Assert.Single(
            host.Services.GetRequiredService<NumaFallbacks>().Current, static fallback => fallback.Feature == "memory.server");
        Assert.Contains("AddNuma() was called before", fallback.Message, StringComparison.Ordinal);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    private static WebApplicationBuilder CreateBuilder(
        Version version, params (string Key, string? Value)[] settings) => WebServer.CreateBuilder(
            version.Major == 2 ? HttpProtocols.Http2 : HttpProtocols.Http1,
            [("Transport:Enabled", "false"), ("Topology:Provider", SimulatedMachine.ProviderName), .. settings]);

    private sealed class OwnFactory : IMemoryPoolFactory<byte>
    {
        public int Created { get; private set; }

        public MemoryPool<byte> Create(MemoryPoolOptions? options = null)
        {
            Created++;
            return MemoryPool<byte>.Shared;
        }
    }
}
