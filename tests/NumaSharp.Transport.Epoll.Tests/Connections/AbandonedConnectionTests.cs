using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

public sealed class AbandonedConnectionTests
{
    [Theory]
    [InlineData(EpollDispatchMode.Adaptive)]
    [InlineData(EpollDispatchMode.Inline)]
    [InlineData(EpollDispatchMode.Node)]
    [InlineData(EpollDispatchMode.ThreadPool)]
    public async Task Abort_ApplicationNeverCompletes_BlocksAreTakenBack(EpollDispatchMode dispatch)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        using var scheduler = RawPair.CreateScheduler();
        using var pools = new NumaMemoryPools(scheduler.Plan);
        using var factory = new EpollTransportFactory(scheduler, new EpollTransportOptions { Dispatch = dispatch }, pools);
        await using var listener = await factory.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        await AbandonAsync(listener);

        // As servers do. Until then the listener's queue still refers to the accept that has waited last, and so to its result.
        var next = listener.AcceptAsync();
        await Wait.UntilCollectedAsync(() => Sum(pools, static pool => pool.RentedBlocks) == 0);

        Assert.Equal(2, Sum(pools, static pool => pool.AbandonedBlocks));
        await listener.UnbindAsync();
        Assert.Null(await next.Within("accepting ends"));
    }

    private static async Task AbandonAsync(IConnectionListener listener)
    {
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(listener.EndPoint);
        var connection = (await listener.AcceptAsync())!;
        var hasRead = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _ = ServeAsync(connection, hasRead);
        await client.SendAsync(new byte[100]);
        await hasRead.Task.Within("the application has read");
        connection.Abort();
    }

    // As Kestrel's HTTP/2 connections do (event 23): the application waits for what never comes, and only that refers to it.
    private static async Task ServeAsync(ConnectionContext connection, TaskCompletionSource hasRead)
    {
        var result = await connection.Transport.Input.ReadAsync();
        connection.Transport.Output.GetSpan(100).Clear();
        connection.Transport.Output.Advance(100);
        hasRead.SetResult();
        await new TaskCompletionSource().Task;
        connection.Transport.Input.AdvanceTo(result.Buffer.End);
        await connection.DisposeAsync();
    }

    private static long Sum(NumaMemoryPools pools, Func<NumaMemoryPool, long> read) =>
        Enumerable.Range(0, pools.Count).Sum(index => read(pools[index]));
}
