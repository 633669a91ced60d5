using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

[Collection(nameof(Alone))]
[Trait("kind", "allocation")]
public sealed class AllocationTests
{
    private const int RoundsPerWindow = 500;
    private const int Windows = 8;

    // On the loop's own thread. In the first windows code is compiled, and a collection gives the thread's allocation buffer up,
    // which counts in the one window it falls in; what a round allocates counts in all.
    [Theory]
    [InlineData(64)]
    [InlineData(4096)]
    [InlineData(65536)]
    public async Task ReceiveAndSend_SteadyState_AllocateNothing(int size)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        var plan = NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1, ThreadsPerNode = 1 });
        using var scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = plan });
        var options = new EpollTransportOptions { Dispatch = EpollDispatchMode.Inline };
        using var factory = new EpollTransportFactory(scheduler, options);
        await using var listener = await factory.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            SendTimeout = (int)Wait.Limit.TotalMilliseconds,
            ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds,
        };
        await client.ConnectAsync(listener.EndPoint);
        await using var connection = (await listener.AcceptAsync())!;
        var allocated = new long[Windows];
        var server = EchoAsync(connection, allocated, (long)size * RoundsPerWindow);
        var pings = Task.Run(() => PingPong(client, size, RoundsPerWindow * Windows));

        // The first to fail says why; the other one would only say that it waited.
        await await Task.WhenAny(pings, server);
        await pings;
        await server.Within();

        Assert.True(allocated.Min() == 0, $"Bytes: {string.Join(", ", allocated)}.");
    }

    private static async Task EchoAsync(ConnectionContext connection, long[] allocated, long bytesPerWindow)
    {
        var (input, output) = (connection.Transport.Input, connection.Transport.Output);
        for (var window = 0; window < allocated.Length; window++)
        {
            var before = 0L;
            for (var echoed = 0L; echoed < bytesPerWindow;)
            {
                var read = await input.ReadAsync();
                before = echoed == 0 ? GC.GetAllocatedBytesForCurrentThread() : before;
                foreach (var segment in read.Buffer)
                {
                    segment.Span.CopyTo(output.GetSpan(segment.Length));
                    output.Advance(segment.Length);
                }

                echoed += read.Buffer.Length;
                input.AdvanceTo(read.Buffer.End);
                await output.FlushAsync();
            }

            allocated[window] = GC.GetAllocatedBytesForCurrentThread() - before;
        }
    }

    private static void PingPong(Socket client, int size, int rounds)
    {
        var sent = new byte[size];
        var received = new byte[size];
        for (var i = 0; i < rounds; i++)
        {
            client.Send(sent);
            for (var got = 0; got < size;)
            {
                var count = client.Receive(received, got, size - got, SocketFlags.None);
                Assert.True(count > 0, "The server has ended the connection.");
                got += count;
            }
        }
    }
}
