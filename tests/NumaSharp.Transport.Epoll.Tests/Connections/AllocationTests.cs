using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

[Collection(nameof(Alone))]
[Trait("kind", "allocation")]
public sealed class AllocationTests
{
    [Theory]
    [InlineData(EpollDispatchMode.Inline, 64)]
    [InlineData(EpollDispatchMode.Inline, 4096)]
    [InlineData(EpollDispatchMode.Inline, 65536)]
    [InlineData(EpollDispatchMode.Adaptive, 64)]
    [InlineData(EpollDispatchMode.Adaptive, 65536)]
    public async Task ReceiveAndSend_SteadyState_AllocateNothing(EpollDispatchMode dispatch, int size)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        var plan = NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1, ThreadsPerNode = 1 });
        using var scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = plan });

        // A busy machine would move the connection from its loop to the workers for a minute.
        var options = new EpollTransportOptions { Dispatch = dispatch, StallThreshold = TimeSpan.FromSeconds(10) };
        using var factory = new EpollTransportFactory(scheduler, options);
        await using var listener = await factory.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            SendTimeout = (int)Wait.Limit.TotalMilliseconds,
            ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds,
        };
        await client.ConnectAsync(listener.EndPoint);
        await using var connection = (await listener.AcceptAsync().Within("the connection is accepted"))!;
        var windows = AllocationWindows.OfThread();
        var echo = new Echo(connection, windows, size);
        var server = echo.RunAsync();
        var pings = Task.Run(() => PingPong(client, echo, size));

        // The first to fail says why; the other one would only say that it waited.
        await await Task.WhenAny(pings, server);
        await pings;
        await server.Within();

        Assert.True(((EpollConnection)connection).Dispatcher.IsInline);
        Assert.Equal(0, windows.Least);
    }

    private static void PingPong(Socket client, Echo echo, int size)
    {
        var sent = new byte[size];
        var received = new byte[size];
        do
        {
            client.Send(sent);
            for (var got = 0; got < size;)
            {
                var count = client.Receive(received, got, size - got, SocketFlags.None);
                Assert.True(count > 0, "The server has ended the connection.");
                got += count;
            }
        }
        while (!echo.IsOver);
    }

    /// <summary>
    /// Sends back what comes, until the windows are over. A window that ends on another thread than it began on, because the loop
    /// was handed over, does not count.
    /// </summary>
    private sealed class Echo(ConnectionContext connection, AllocationWindows windows, int size)
    {
        private volatile bool _isOver;

        /// <summary>Whether the round whose bytes are on their way back is the last one.</summary>
        public bool IsOver => _isOver;

        public async Task RunAsync()
        {
            var (input, output) = (connection.Transport.Input, connection.Transport.Output);
            for (var (echoed, end) = (0L, 0L); !_isOver || echoed < end;)
            {
                var read = await input.ReadAsync();
                if (echoed == end)
                {
                    end += BytesOfNextWindow(isFirst: end == 0);
                }

                foreach (var segment in read.Buffer)
                {
                    segment.Span.CopyTo(output.GetSpan(segment.Length));
                    output.Advance(segment.Length);
                }

                echoed += read.Buffer.Length;
                input.AdvanceTo(read.Buffer.End);
                await output.FlushAsync();
            }
        }

        // At the first bytes of a round, of which none have been sent back. After the last window, the bytes of that round.
        private long BytesOfNextWindow(bool isFirst)
        {
            if (!isFirst)
            {
                windows.End();
            }

            _isOver = !windows.Begin();
            return (long)size * (_isOver ? 1 : windows.Rounds);
        }
    }
}
