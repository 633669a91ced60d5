using System.Net.Sockets;
using NumaSharp.Core;

namespace NumaSharp.Udp.FaultTests;

/// <summary>Binding: a failure leaves nothing behind, a refusal is reported.</summary>
public sealed class SetupTests
{
    // What starts once stays.
    private static readonly Lazy<int> s_descriptors = new(static () =>
    {
        using (var warm = new UdpMachine())
        {
            AssertServes(warm.Bind(new EchoHandler(), Configure));
        }

        return Descriptors.Count();
    });

    public static TheoryData<string, string> Rows =>
        ManPages.Rows("socket", "bind", "getsockname", "setsockopt", "getsockopt", "timerfd_create", "epoll_ctl");

    [Theory]
    [MemberData(nameof(Rows))]
    public void Bind_AnyCallFails_IsServedOrSaysSoAndLeavesNothing(string call, string error)
    {
        var before = s_descriptors.Value;
        var isMet = true;
        for (var skip = 0; isMet; skip++)
        {
            using var machine = new UdpMachine();
            using var fault = new Fault(call, ManPages.NumberOf(error), skip: skip);
            try
            {
                var server = machine.Bind(new EchoHandler(), Configure);
                isMet = fault.WasMet;
                fault.Dispose();
                AssertServes(server);
            }
            catch (Exception exception) when (exception is SocketException or NumaException)
            {
                Assert.Contains(error, exception.Message, StringComparison.Ordinal);
                Assert.Empty(machine.Factory.Sockets);
            }
        }

        Wait.Until(() => Descriptors.Count() <= before, () => $"{Descriptors.Count()}, {before} before");
    }

    private static void AssertServes(NumaUdpSocket server)
    {
        using var client = UdpMachine.ClientOf(server);
        client.Send([1]);
        Assert.Equal(1, client.Receive(new byte[4]));
    }

    private static void Configure(NumaUdpOptions options) =>
        (options.CoalesceDelay, options.ReceiveBufferSize) = (TimeSpan.FromMilliseconds(1), 100_000);
}
