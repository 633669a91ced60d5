extern alias udp;

using System.Net;
using NumaSharp.Udp;
using PlaygroundEcho = udp::NumaSharp.Playground.Udp.EchoHandler;

namespace NumaSharp.Playground.Tests.Udp;

public sealed class EchoHandlerTests : IDisposable
{
    private readonly UdpMachine _machine = new();

    public void Dispose() => _machine.Dispose();

    [Theory]
    [InlineData("127.0.0.1", "127.0.0.1")]
    [InlineData("0.0.0.0", "127.0.0.2")]
    [InlineData("::1", "::1")]
    public async Task OnBatch_FromItsOwnPort_IsNotAnswered(string bound, string target)
    {
        if (bound.Contains(':', StringComparison.Ordinal))
        {
            IPv6.SkipUnlessThere();
        }

        // The library would drop it before.
        var server = _machine.Bind(
            new PlaygroundEcho(),
            static options => (options.Shards, options.DropOwnSource) = (1, false),
            new IPEndPoint(IPAddress.Parse(bound), 0));
        var self = new IPEndPoint(IPAddress.Parse(target), server.LocalEndPoint.Port).Serialize();
        using (var forged = _machine.NewBatch())
        {
            Assert.True(forged.TryAdd(self.Buffer.Span[..self.Size], [1, 2, 3]));
            Assert.Equal(1, await server.Shards[0].SendAsync(forged));
        }

        using var client = UdpMachine.ClientOf(server, IPAddress.Parse(target));
        for (byte i = 1; i <= 2; i++)
        {
            var answer = new byte[4];
            client.Send([i]);
            Assert.Equal(1, client.Receive(answer));
            Assert.Equal(i, answer[0]);
        }

        // One queue: an answer to itself would have come back before the second question was answered.
        await Wait.UntilAsync(() => server.GetStatistics()[0].SentDatagrams >= 3);
        var all = server.GetStatistics()[0];
        Assert.Equal((3, 3), (all.ReceivedDatagrams, all.SentDatagrams));
    }
}
