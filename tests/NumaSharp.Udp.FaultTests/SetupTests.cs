using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Udp.Tests.Support;

namespace NumaSharp.Udp.FaultTests;

/// <summary>Binding: what fails leaves nothing, what is refused is said.</summary>
public sealed class SetupTests
{
    public static TheoryData<string, string> Rows =>
        ManPages.Rows("socket", "bind", "getsockname", "setsockopt", "getsockopt", "timerfd_create", "epoll_ctl");

    [Theory]
    [MemberData(nameof(Rows))]
    public void Bind_AnyCallFails_IsServedOrSaysSoAndLeavesNothing(string call, string error)
    {
        // What starts once stays.
        using (var warm = new UdpMachine())
        {
            AssertServes(warm.Bind(new EchoHandler(), Configure));
        }

        var before = Descriptors.Count();
        for (var skip = 0; skip < 16; skip++)
        {
            using var machine = new UdpMachine();
            using var fault = new Fault(call, ManPages.NumberOf(error), skip: skip);
            try
            {
                var server = machine.Bind(new EchoHandler(), Configure);
                fault.Dispose();
                AssertServes(server);
            }
            catch (Exception exception) when (exception is SocketException or NumaException)
            {
                Assert.Contains(error, exception.Message, StringComparison.Ordinal);
                Assert.Empty(machine.Factory.Sockets);
            }
        }

        UdpMachine.Until(() => Descriptors.Count() <= before, () => $"{Descriptors.Count()} descriptors, {before} before");
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
