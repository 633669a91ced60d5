using System.Net.Sockets;
using NumaSharp.Udp.Shards;

namespace NumaSharp.Udp.FaultTests;

/// <summary>Without a next tick, for whatever reason, datagrams are events again: none is left in the socket.</summary>
public sealed class CoalescingTests : IDisposable
{
    // Time stands still: all datagrams are close, on a busy machine, too.
    private readonly ManualTime _time = new();
    private readonly UdpMachine _machine;

    public CoalescingTests() => _machine = new UdpMachine(new NumaUdpSocketFactoryOptions { Time = _time });

    public static TheoryData<string, string> TimerRows => ManPages.Rows("timerfd_settime");

    public void Dispose() => _machine.Dispose();

    [Theory]
    [MemberData(nameof(TimerRows))]
    public void Coalescing_CannotBegin_EachDatagramIsServed(string call, string error) => Serve(call, error, ticks: 0);

    [Theory]
    [MemberData(nameof(TimerRows))]
    public void Coalescing_CannotContinue_EachDatagramIsServed(string call, string error) => Serve(call, error, ticks: 1);

    [Fact]
    public void Rebuild_TheTimerCannotBeWatchedAgain_DatagramsAreEventsUntilItIs()
    {
        var server = _machine.BindWhileAllWait(new EchoHandler(), Coalescing);
        using var client = UdpMachine.ClientOf(server);
        AskUntilItTicks(client);

        // The doorbell is registered first, then the timer, then the socket, whose events are off.
        LoopFailure.Meet(client, skip: 1);
        for (var i = 0; i < 2 * Coalescer.CloseOnes; i++)
        {
            Ask(client);
        }

        _time.Advance(TimeSpan.FromSeconds(1));
        AskUntilItTicks(client);
        Assert.True(UdpMachine.SumOf(server).IsServing);
    }

    private static void AskUntilItTicks(Socket client)
    {
        var ticks = 0;
        using var tick = new Fault(
            "timerfd_settime", errno: 0, times: int.MaxValue, onCall: () => Interlocked.Increment(ref ticks));
        Wait.Until(() =>
        {
            Ask(client);
            return Volatile.Read(ref ticks) > 0;
        });
    }

    private static void Coalescing(NumaUdpOptions options) =>
        (options.Shards, options.CoalesceDelay) = (1, TimeSpan.FromMilliseconds(100));

    private static void Ask(Socket client)
    {
        client.Send([1]);
        Assert.Equal(1, client.Receive(new byte[4]));
    }

    private void Serve(string call, string error, int ticks)
    {
        var server = _machine.Bind(new EchoHandler(), Coalescing);
        using var client = UdpMachine.ClientOf(server);
        using var fault = new Fault(call, ManPages.NumberOf(error), skip: ticks);
        Wait.Until(() =>
        {
            Ask(client);
            return fault.WasMet;
        });
        Ask(client);
    }
}
