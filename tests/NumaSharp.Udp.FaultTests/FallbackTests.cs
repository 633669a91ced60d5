using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp.FaultTests;

/// <summary>Fallbacks are reported per socket, and withdrawn when the socket has the option or is closed.</summary>
public sealed partial class FallbackTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly UdpMachine _machine;

    public FallbackTests() => _machine = new UdpMachine(new NumaUdpSocketFactoryOptions { Time = _time });

    public void Dispose() => _machine.Dispose();

    [Fact]
    public async Task Option_IsRefusedForTwoSockets_IsReportedForBothAndEndsWithEach()
    {
        using var fault = new Fault("setsockopt", Errno.ENOPROTOOPT, UdpCalls.UDP_GRO, times: int.MaxValue);
        var calls = LogOf(static fallback => fallback.Feature);
        await using var one = _machine.Bind(new EchoHandler());
        await using var other = _machine.Bind(new EchoHandler());
        Assert.Equal(["+udp.gro", "+udp.gro"], calls);
        Assert.Equal(["udp.gro", "udp.gro"], Features);

        await one.DisposeAsync();
        Assert.Equal(["udp.gro"], Features);
        await other.DisposeAsync();
        Assert.Equal(["+udp.gro", "+udp.gro", "-udp.gro", "-udp.gro"], calls);
        Assert.Empty(Features);
    }

    [Fact]
    public void Option_OfOneShardIsRefused_IsTakenBackWhenItsNextSocketHasIt()
    {
        NumaUdpSocket server;
        using (new Fault("setsockopt", Errno.ENOPROTOOPT, UdpCalls.UDP_GRO, skip: 1))
        {
            server = _machine.Bind(
                new EchoHandler(), static options => (options.Shards, options.Steering) = (2, NumaUdpSteering.Kernel));
        }

        // The last descriptor is the second shard's.
        Assert.Equal(["udp.gro"], Features);
        Assert.Equal(0, Close(Fault.LastDescriptorOf("setsockopt")));
        _time.Advance(TimeSpan.FromSeconds(1));
        UdpMachine.Until(server, static sum => sum is { Restarts: 1, IsServing: true });
        Assert.Empty(Features);
    }

    [Fact]
    public void Steering_IsRefusedOnce_IsTakenBackByTheNextPlan()
    {
        using (new Fault("setsockopt", Errno.EINVAL, SocketCalls.SO_ATTACH_REUSEPORT_CBPF))
        {
            _machine.Bind(new EchoHandler());
        }

        Assert.Equal(["udp.steering"], Features);
        _machine.Factory.Apply(_machine.Plan);
        Assert.Empty(Features);
    }

    [Fact]
    public async Task Option_IsRefusedForConnectedSockets_IsReportedOnceAndEndsWithTheLast()
    {
        using var fault = new Fault("setsockopt", Errno.ENOPROTOOPT, UdpCalls.UDP_GRO, times: int.MaxValue);
        var calls = LogOf(static fallback => fallback.Message);
        await using var one = _machine.Factory.Connect(new IPEndPoint(IPAddress.Loopback, 9001));
        await using var other = _machine.Factory.Connect(new IPEndPoint(IPAddress.Loopback, 9002));
        Assert.Equal(["udp.gro"], Features);
        await one.DisposeAsync();
        Assert.Equal(["udp.gro"], Features);
        await other.DisposeAsync();
        Assert.Empty(Features);
        const string Message = "UDP_GRO for connected UDP sockets was refused (ENOPROTOOPT). The kernel does not join datagrams.";
        Assert.Equal([$"+{Message}", "-udp.gro"], calls);
    }

    [Fact]
    public void OwnAddresses_CannotBeReadAndWereNotRequested_IsOneLineAndNoFallback()
    {
        using var fault = new Fault("getifaddrs", Errno.EPERM, times: int.MaxValue);
        var log = new RecordingLog(from: LogLevel.Information);
        using var factory = new NumaUdpSocketFactory(
            _machine.Plan,
            new NumaUdpSocketFactoryOptions { Time = _time, Fallbacks = _machine.Fallbacks },
            loggerFactory: log);
        var server = factory.Bind(new IPEndPoint(IPAddress.Any, 0), new EchoHandler());
        var failed = fault.Failed;
        _ = server.OwnAddresses!.Has(OwnAddress.Of(IPAddress.Parse("192.0.2.1")));
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(failed + 1, fault.Failed);
        Assert.Equal([LogLevel.Information], log.LevelsOf(617));
        Assert.Empty(Features);
    }

    [Fact]
    public async Task OwnAddresses_CannotBeRead_IsReportedUntilTheEnd()
    {
        using var fault = new Fault("getifaddrs", Errno.EPERM);
        var server = _machine.Bind(
            new EchoHandler(), static options => options.DropOwnSource = true, new IPEndPoint(IPAddress.Any, 0));
        Assert.Equal(["udp.ownsource"], Features);
        await server.DisposeAsync();
        Assert.Empty(Features);
    }

    [Fact]
    public void Groups_CannotBeJoinedAgainAtOnce_AreJoinedLater()
    {
        var server = _machine.Bind(
            LambdaHandler.Ignoring, static options => options.Shards = 1, new IPEndPoint(IPAddress.Any, 0));
        server.JoinGroup(IPAddress.Parse("239.1.2.3"), interfaceIndex: 1);
        using (new Fault("setsockopt", Errno.ENOMEM, UdpCalls.IP_ADD_MEMBERSHIP))
        {
            Assert.Equal(0, Close(Fault.LastDescriptorOf("setsockopt")));
            _time.Advance(TimeSpan.FromSeconds(1));
        }

        // Retried at the end of the same look.
        UdpMachine.Until(server, static sum => sum is { Restarts: 1, IsServing: true });
        Assert.Empty(Features);
        server.LeaveGroup(IPAddress.Parse("239.1.2.3"), interfaceIndex: 1);
    }

    [Fact]
    public void Group_CannotBeJoinedAgain_CanBeLeft()
    {
        var group = IPAddress.Parse("239.1.2.3");
        var server = _machine.Bind(
            LambdaHandler.Ignoring, static options => options.Shards = 1, new IPEndPoint(IPAddress.Any, 0));
        server.JoinGroup(group, interfaceIndex: 1);
        using (new Fault("setsockopt", Errno.ENOMEM, UdpCalls.IP_ADD_MEMBERSHIP, times: int.MaxValue))
        {
            Assert.Equal(0, Close(Fault.LastDescriptorOf("setsockopt")));
            _time.Advance(TimeSpan.FromSeconds(1));
            UdpMachine.Until(server, static sum => sum is { Restarts: 1, IsServing: true });
            Assert.Equal(["udp.multicast"], Features);
            server.LeaveGroup(group, interfaceIndex: 1);
            _time.Advance(TimeSpan.FromSeconds(1));
            Wait.Until(() => !Features.Any());
        }

        Assert.Throws<SocketException>(() => server.LeaveGroup(group, interfaceIndex: 1));
    }

    private IEnumerable<string> Features => _machine.SocketFallbacks.Select(static fallback => fallback.Feature);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int fd);

    // Only those of sockets: memory may be refused, too, where this runs.
    private CallLog<string> LogOf(Func<NumaFallback, string> textOf)
    {
        var calls = new CallLog<string>();
        Add(static (fallbacks, handler) => fallbacks.Reported += handler, fallback => $"+{textOf(fallback)}");
        Add(static (fallbacks, handler) => fallbacks.Withdrawn += handler, static fallback => $"-{fallback.Feature}");
        return calls;

        void Add(Action<NumaFallbacks, EventHandler<NumaFallback>> subscribe, Func<NumaFallback, string> format) =>
            subscribe(_machine.Fallbacks, (_, fallback) =>
            {
                if (fallback.Feature.StartsWith("udp.", StringComparison.Ordinal))
                {
                    calls.Add(format(fallback));
                }
            });
    }
}
