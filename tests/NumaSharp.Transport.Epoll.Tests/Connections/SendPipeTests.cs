using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

public sealed class SendPipeTests
{
    [Theory]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task Flush_InACallbackOverASmallLimit_Ends(EpollDispatchMode dispatch)
    {
        await using var pair = await RawPair.ConnectAsync(
            new EpollTransportOptions { Dispatch = dispatch, MaxWriteBufferSize = 4096 });
        var answer = Task.Run(async () =>
        {
            var read = await pair.Input.ReadAsync();
            pair.Input.AdvanceTo(read.Buffer.End);
            await pair.Output.WriteAsync(new byte[10_000]);
        });
        await pair.Client.SendAsync(new byte[1]);

        await answer.Within("a flush of more than the limit, which the socket takes at once");
    }
}
