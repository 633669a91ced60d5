using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed class RestartTests : IDisposable
{
    private readonly NumaEventLoopGroup _group;

    public RestartTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        _group = new NumaEventLoopGroup(NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1 }));
    }

    private NumaEventLoop Loop => _group.Loops[0];

    public void Dispose() => _group?.Dispose();

    [Fact]
    public async Task RestartAsync_SomethingRegistered_IsWatchedByANewThread()
    {
        using var receiver = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        receiver.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        var threads = new List<int>();
        var handler = new RecordingHandler(_ => threads.Add(Environment.CurrentManagedThreadId));
        Loop.Register(receiver.SafeHandle, handler, EventLoopEvents.Readable);
        receiver.SendTo([1], receiver.LocalEndPoint!);
        handler.WaitForReturn();
        await Loop.RestartAsync().Within();

        // The datagram is still there: the new instance reports it.
        handler.WaitForReturn();
        Assert.Equal(2, threads.Distinct().Count());
        Assert.Equal((1L, 1, true), (Loop.Restarts, Loop.RegistrationCount, Loop.IsServing));
    }

    [Fact]
    public async Task RestartAsync_DescriptorThatWasClosed_ItsHandlerIsNotified()
    {
        var receiver = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        var handler = new LostHandler();
        Loop.Register(receiver.SafeHandle, handler, EventLoopEvents.Readable);
        receiver.Dispose();
        await Loop.RestartAsync().Within();

        Assert.Equal("EBADF", (await handler.Reason.Task.Within()).Result?.ErrorName);
        Assert.Equal(0, Loop.RegistrationCount);
    }

    [Fact]
    public async Task RestartAsync_ManyAtTheSameTime_AllEnd()
    {
        using var receiver = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        receiver.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        var handler = new RecordingHandler();
        Loop.Register(receiver.SafeHandle, handler, EventLoopEvents.Readable);
        await Task.WhenAll(Enumerable.Range(0, 100).Select(_ => Loop.RestartAsync())).Within();

        // Those that come while one is under way share it; afterwards the loop serves what it served before.
        Assert.InRange(Loop.Restarts, 1, 100);
        Assert.Equal((1, true), (Loop.RegistrationCount, Loop.IsServing));
        receiver.SendTo([1], receiver.LocalEndPoint!);
        handler.WaitForReturn();
    }

    [Fact]
    public async Task RestartAsync_LoopThatHasStopped_Throws()
    {
        var loop = Loop;
        _group.Dispose();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => loop.RestartAsync().Within());
    }

    private sealed class LostHandler : EventLoopHandler
    {
        public TaskCompletionSource<NumaException> Reason { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        protected internal override void OnReady(EventLoopEvents events)
        {
        }

        protected internal override void OnUnwatched(NumaException reason) => Reason.SetResult(reason);
    }
}
