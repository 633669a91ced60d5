using System.Collections.Concurrent;
using System.Net.Sockets;
using NumaSharp.Interop;
using NumaSharp.Udp;

namespace NumaSharp.Udp.FaultTests;

/// <summary>A loop on which epoll fails, and that cannot watch one of its descriptors when it is rebuilt.</summary>
internal static class LoopFailure
{
    private const int EpollAdd = 1;

    /// <summary>Binds, and returns when every loop is in its first wait: the one that is woken next fails next.</summary>
    public static NumaUdpSocket BindWhileAllWait(
        this UdpMachine machine, IDatagramHandler handler, Action<NumaUdpOptions> configure)
    {
        var waiting = new ConcurrentDictionary<int, bool>();
        using var seen = new Fault(
            "epoll_wait", errno: 0, times: int.MaxValue, onCall: () => waiting[Environment.CurrentManagedThreadId] = true);
        var server = machine.Bind(handler, configure);
        Wait.Until(() => waiting.Count >= machine.Plan.LoopCount);
        return server;
    }

    /// <summary>Fails the loop that receives from the client, and what it registers after so many others.</summary>
    public static void Meet(Socket client, int skip)
    {
        using var refused = new Fault("epoll_ctl", Errno.ENOSPC, EpollAdd, skip: skip);
        using var failed = new Fault("epoll_wait", Errno.EBADF);
        client.Send([1]);
        Wait.Until(() => refused.WasMet, () => $"{failed}, {refused}");
    }
}
