using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.Interop;
using NumaSharp.Scheduling;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>A fallback of an end point is reported for each, and until it ends.</summary>
public sealed class FallbackTests : IDisposable
{
    private const int TcpNoDelay = 1;

    private readonly NumaFallbacks _fallbacks = new();
    private readonly NumaTaskScheduler _scheduler = new(
        new NumaTaskSchedulerOptions { Plan = TestMachines.OneCpu().Plan() });

    private readonly EpollTransportFactory _factory;

    public FallbackTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        _factory = new EpollTransportFactory(_scheduler, new EpollTransportOptions { Fallbacks = _fallbacks });
    }

    private static IPEndPoint Anywhere => new(IPAddress.Loopback, 0);

    public void Dispose()
    {
        _factory.Dispose();
        _scheduler.Dispose();
    }

    [Fact]
    public async Task EndPoints_AreRefusedAnOption_EachIsReportedUntilItEnds()
    {
        using var fault = new Fault("setsockopt", Errno.ENOPROTOOPT, TcpNoDelay, times: 2);
        await using var first = await _factory.BindAsync(Anywhere);
        await using var second = await _factory.BindAsync(Anywhere);
        Assert.Equal(["transport.nodelay", "transport.nodelay"], _fallbacks.Current.Select(static it => it.Feature));

        await first.DisposeAsync();
        Assert.Single(_fallbacks.Current);
        await second.DisposeAsync();
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public async Task EndPoint_IsRefusedAnOptionAndCannotBeBound_LeavesNothing()
    {
        using var refused = new Fault("setsockopt", Errno.ENOPROTOOPT, TcpNoDelay);
        using var failed = new Fault("listen", Errno.EADDRINUSE);
        await Assert.ThrowsAsync<AddressInUseException>(async () => await _factory.BindAsync(Anywhere));

        Assert.True(refused.WasMet);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public async Task Clients_AreRefusedAnOption_IsReportedOnceUntilTheTransportEnds()
    {
        using var listening = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listening.Bind(Anywhere);
        listening.Listen();
        using var fault = new Fault("setsockopt", Errno.ENOPROTOOPT, TcpNoDelay, times: 2);
        for (var i = 0; i < 2; i++)
        {
            await using var connection = await _factory.ConnectAsync(listening.LocalEndPoint!).AsTask().Within("the connect");
        }

        Assert.True(fault.WasMet);
        Assert.Equal("transport.nodelay", Assert.Single(_fallbacks.Current).Feature);
        await Task.Yield();
        _factory.Dispose();
        Assert.Empty(_fallbacks.Current);
    }
}
