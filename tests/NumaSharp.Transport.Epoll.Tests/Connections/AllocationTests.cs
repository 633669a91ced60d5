using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

public sealed class AllocationTests
{
    private const int WarmUp = 2_000;
    private const int Measured = 10_000;

    // On the loop's own thread, where other tests' allocations do not count.
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
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(listener.EndPoint);
        await using var connection = (await listener.AcceptAsync())!;
        var server = EchoAsync(connection, (long)size * (WarmUp + Measured));
        await Task.Run(() => PingPong(client, size, WarmUp + Measured));

        Assert.Equal(0, await server);
    }

    private static async Task<long> EchoAsync(ConnectionContext connection, long total)
    {
        var (input, output) = (connection.Transport.Input, connection.Transport.Output);
        var echoed = 0L;
        var measureFrom = total / (WarmUp + Measured) * WarmUp;
        var before = -1L;
        var allocated = -1L;
        while (echoed < total)
        {
            var read = await input.ReadAsync();
            if (before < 0 && echoed >= measureFrom)
            {
                before = GC.GetAllocatedBytesForCurrentThread();
            }

            foreach (var segment in read.Buffer)
            {
                segment.Span.CopyTo(output.GetSpan(segment.Length));
                output.Advance(segment.Length);
            }

            echoed += read.Buffer.Length;
            input.AdvanceTo(read.Buffer.End);
            if (echoed == total)
            {
                allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            }

            await output.FlushAsync();
        }

        return allocated;
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
                got += client.Receive(received, got, size - got, SocketFlags.None);
            }
        }
    }
}
