using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

/// <summary>Busy polling is set on every epoll instance, as the kernel itself says (EPIOCGPARAMS).</summary>
public sealed class BusyPollTests
{
    public static TheoryData<TimeSpan, int> OutOfRange => new()
    {
        { TimeSpan.FromMicroseconds(0.9), 0 },
        { TimeSpan.FromMicroseconds(-1), 0 },
        { TimeSpan.FromSeconds(1) + TimeSpan.FromTicks(1), 0 },
        { TimeSpan.Zero, -1 },
        { TimeSpan.Zero, 65536 },
    };

    [Fact]
    public unsafe void EpollParameters_IsStructEpollParams() => Assert.Equal(8, sizeof(EpollParameters));

    [Fact]
    public async Task BusyPoll_Set_IsTheEpollInstancesAlsoAfterARestart()
    {
        SkipWithoutEpollParameters();
        var fallbacks = new NumaFallbacks();
        using var group = Create(TimeSpan.FromMicroseconds(49.5), budget: 32, prefer: true, fallbacks);
        var loop = group.Loops[0];
        Assert.Equal((50u, 32, 1), Read(loop));
        var first = loop.EpollDescriptor;
        await loop.RestartAsync().Within();

        Assert.NotEqual(first, loop.EpollDescriptor);
        Assert.Equal((50u, 32, 1), Read(loop));
        Assert.Empty(fallbacks.Current);
    }

    [Fact]
    public void BusyPoll_NotSet_IsTheSystems()
    {
        SkipWithoutEpollParameters();
        using var group = Create(TimeSpan.Zero, budget: 0, prefer: false, new NumaFallbacks());

        Assert.Equal((0u, 0, 0), Read(group.Loops[0]));
    }

    [Fact]
    public void BusyPollBudget_BeyondTheKernelsWeight_IsSetWithTheCapabilityAndReportedWithoutIt()
    {
        SkipWithoutEpollParameters();
        var fallbacks = new NumaFallbacks();
        using var group = Create(TimeSpan.FromMilliseconds(1), budget: 65, prefer: false, fallbacks);
        if (HasNetworkAdministration())
        {
            Assert.Equal((1000u, 65, 0), Read(group.Loops[0]));
            Assert.Empty(fallbacks.Current);
            return;
        }

        var refused = Assert.Single(fallbacks.Current);
        Assert.Equal("loop.busypoll", refused.Feature);
        Assert.Contains("1000 us, budget 65, preferred 0) was refused (EPERM: ", refused.Message, StringComparison.Ordinal);
        Assert.Equal((0u, 0, 0), Read(group.Loops[0]));
    }

    [Theory]
    [MemberData(nameof(OutOfRange))]
    public void BusyPoll_OutsideItsRange_Throws(TimeSpan busyPoll, int budget) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Create(busyPoll, budget, prefer: false, new NumaFallbacks()));

    private static NumaEventLoopGroup Create(TimeSpan busyPoll, int budget, bool prefer, NumaFallbacks fallbacks) => new(
        NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1 }),
        new NumaEventLoopGroupOptions
        {
            BusyPoll = busyPoll,
            BusyPollBudget = budget,
            PreferBusyPoll = prefer,
            Fallbacks = fallbacks,
        });

    private static unsafe (uint Microseconds, int Budget, int Prefer) Read(NumaEventLoop loop)
    {
        EpollParameters read;
        var result = SysResult.FromReturn(Native.DeviceControl(loop.EpollDescriptor, Native.EPIOCGPARAMS, &read));
        Assert.True(result.Succeeded, result.ErrorName);
        return (read.BusyPollMicroseconds, read.BusyPollBudget, read.PreferBusyPoll);
    }

    // CAP_NET_ADMIN of the whole machine. SO_BUSY_POLL beyond what a socket has takes the same, and the BCL can ask for that.
    private static bool HasNetworkAdministration()
    {
        const int SocketLevel = 1;
        const int BusyPoll = 46;
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        try
        {
            socket.SetRawSocketOption(SocketLevel, BusyPoll, BitConverter.GetBytes(1_000_000));
            return true;
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.AccessDenied)
        {
            return false;
        }
    }

    // The file is there with NET_RX_BUSY_POLL, in the machine's own network namespace.
    private static void SkipWithoutEpollParameters()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        Assert.SkipUnless(Environment.OSVersion.Version >= new Version(6, 9), "EPIOCGPARAMS takes Linux 6.9.");
        Assert.SkipUnless(File.Exists("/proc/sys/net/core/busy_poll"), "EPIOCGPARAMS takes NET_RX_BUSY_POLL.");
    }
}
