namespace NumaSharp.Udp.FaultTests;

/// <summary>Without a next tick, for whatever reason, datagrams are events again: none is left in the socket.</summary>
public sealed class CoalescingTests : IDisposable
{
    // Time stands still: all datagrams are close, on a busy machine, too.
    private readonly UdpMachine _machine = new(new NumaUdpFactoryOptions { Time = new ManualTime() });

    public static TheoryData<string, string> TimerRows => ManPages.Rows("timerfd_settime");

    public void Dispose() => _machine.Dispose();

    [Theory]
    [MemberData(nameof(TimerRows))]
    public void Coalescing_CannotBegin_EachDatagramIsServed(string call, string error) => Serve(call, error, ticks: 0);

    [Theory]
    [MemberData(nameof(TimerRows))]
    public void Coalescing_CannotGoOn_EachDatagramIsServed(string call, string error) => Serve(call, error, ticks: 1);

    private void Serve(string call, string error, int ticks)
    {
        var server = _machine.Bind(
            new EchoHandler(),
            static options => (options.Shards, options.CoalesceDelay) = (1, TimeSpan.FromMilliseconds(100)));
        using var client = UdpMachine.ClientOf(server);
        using var fault = new Fault(call, ManPages.NumberOf(error), skip: ticks);
        Wait.Until(() =>
        {
            Ask();
            return fault.WasMet;
        });
        Ask();

        void Ask()
        {
            client.Send([1]);
            Assert.Equal(1, client.Receive(new byte[4]));
        }
    }
}
