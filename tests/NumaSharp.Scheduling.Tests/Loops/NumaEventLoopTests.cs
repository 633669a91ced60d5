using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.EventLoop;

namespace NumaSharp.Scheduling.Tests.EventLoop;

public sealed class NumaEventLoopTests : IDisposable
{
    private readonly NumaEventLoopGroupOptions _options = new();
    private NumaEventLoopGroup? _group;

    public NumaEventLoopTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");

    private NumaEventLoop Loop => (_group ??= NewGroup()).Loops[0];

    public void Dispose() => _group?.Dispose();

    [Fact]
    public void Post_FromOutside_RunsOnThePinnedThreadOfTheLoop()
    {
        NumaEventLoop? current = null;
        CpuSet? cpus = null;
        var handler = new RecordingHandler(_ =>
        {
            current = NumaEventLoop.Current;
            NumaPlatform.Default.Affinity.GetThreadCpus(out cpus);
        });
        Loop.Post(handler);
        handler.WaitForCall();
        Post(Loop);

        Assert.Same(Loop, current);
        Assert.Equal(Assert.Single(_group!.Plan.Nodes[Loop.NodeIndex].LoopCpus), cpus);
        Assert.Equal(EventLoopEvents.Posted, Assert.Single(handler.Events));
    }

    [Fact]
    public void Register_DatagramArrives_IsReadable()
    {
        using var receiver = BoundSocket();
        var handler = new RecordingHandler();
        Loop.Register(receiver.SafeHandle, handler, EventLoopEvents.Readable);
        SendTo(receiver);
        handler.WaitForCall();

        Assert.Equal(EventLoopEvents.Readable, Assert.Single(handler.Events));
        Assert.Equal(1, Loop.RegistrationCount);
        Loop.Unregister(handler);
        Assert.Equal(0, Loop.RegistrationCount);
    }

    [Fact]
    public void Unregister_EventOnItsWay_IsNotDelivered()
    {
        using var receiver = BoundSocket();
        var handler = new RecordingHandler();
        Loop.Register(receiver.SafeHandle, handler, EventLoopEvents.Readable);
        Loop.Unregister(handler);
        SendTo(receiver);
        Post(Loop);
        Post(Loop);

        Assert.Empty(handler.Events);
    }

    // A duplicate keeps the kernel's registration alive; without taking it out the loop would wake up for it for ever.
    [Fact]
    public void Unregister_DescriptorThatStaysOpen_CanBeRegisteredAgain()
    {
        using var receiver = BoundSocket();
        var handler = new RecordingHandler();
        Loop.RegisterLevelTriggered(receiver.SafeHandle, handler, EventLoopEvents.Readable);
        Loop.Unregister(receiver.SafeHandle, handler);
        Loop.Unregister(receiver.SafeHandle, handler);
        SendTo(receiver);
        Post(Loop);
        Assert.Empty(handler.Events);

        Loop.Register(receiver.SafeHandle, handler, EventLoopEvents.Readable);
        handler.WaitForCall();
        Assert.Equal(EventLoopEvents.Readable, Assert.Single(handler.Events));
        Loop.Unregister(handler);
    }

    [Fact]
    public void Modify_LevelTriggered_ComesAgainWhenWatchedAgain()
    {
        // A thread that takes over from a slow callback would see the event that this has not yet answered.
        _options.StallThreshold = TimeSpan.Zero;
        using var receiver = BoundSocket();
        RecordingHandler? handler = null;
        handler = new RecordingHandler(_ => Loop.Modify(receiver.SafeHandle, handler!, EventLoopEvents.None));
        Loop.RegisterLevelTriggered(receiver.SafeHandle, handler, EventLoopEvents.Readable);
        SendTo(receiver);
        handler.WaitForReturn();
        Post(Loop);
        Loop.Modify(receiver.SafeHandle, handler, EventLoopEvents.Readable);
        handler.WaitForReturn();

        Assert.True(handler.Events.Count >= 2);
    }

    [Fact]
    public void Register_ClosedDescriptor_ThrowsAndRegistersNothing()
    {
        var socket = BoundSocket();
        var handle = socket.SafeHandle;
        socket.Dispose();

        Assert.ThrowsAny<Exception>(() => Loop.Register(handle, new RecordingHandler(), EventLoopEvents.Readable));
    }

    [Fact]
    public void OnReady_Throws_IsReportedAndTheLoopContinues()
    {
        using var reported = new ManualResetEventSlim();
        Exception? seen = null;
        _options.UnhandledException = exception =>
        {
            seen = exception;
            reported.Set();
        };
        Loop.Post(new RecordingHandler(static _ => throw new InvalidOperationException("thrown by the test")));
        Wait.For(reported);
        Post(Loop);

        Assert.IsType<InvalidOperationException>(seen);
    }

    [Fact]
    public void Dispose_OnTheLoopsOwnThread_DoesNotDeadlock()
    {
        var group = NewGroup();
        using var disposed = new ManualResetEventSlim();
        group.Loops[0].Post(new RecordingHandler(_ =>
        {
            group.Dispose();
            disposed.Set();
        }));

        Wait.For(disposed);
    }

    [Fact]
    public void Dispose_TheHostsTimeIsOver_DoesNotWaitForCallbacksThatRun()
    {
        using var gate = new Gate();
        var stop = new StopLimit(TimeProvider.System);
        _options.EndLimit = Timeout.InfiniteTimeSpan;
        _options.StopLimit = stop;
        var group = NewGroup();
        foreach (var loop in group.Loops)
        {
            var handler = new RecordingHandler(_ => gate.Pass());
            loop.Post(handler);
            handler.WaitForCall();
        }

        stop.Begin(TimeSpan.Zero);
        Task.Factory.StartNew(group.Dispose, TaskCreationOptions.LongRunning).WaitFor();

        Assert.False(gate.IsOpen);
    }

    [Fact]
    public void Loops_AfterDispose_Throws()
    {
        var group = NewGroup();
        group.Dispose();
        group.Dispose();

        Assert.Throws<ObjectDisposedException>(() => group.Loops);
    }

    [Theory]
    [InlineData(0.00001, 1)]
    [InlineData(60, 1)]
    [InlineData(0, 0)]
    [InlineData(0, 5000)]
    public void Constructor_OptionOutsideItsRange_Throws(double thresholdSeconds, int maxThreads)
    {
        var options = new NumaEventLoopGroupOptions
        {
            StallThreshold = TimeSpan.FromSeconds(thresholdSeconds),
            MaxThreadsPerLoop = maxThreads,
        };

        Assert.Throws<ArgumentOutOfRangeException>(() => new NumaEventLoopGroup(Plan(), options));
    }

    [Fact]
    public void Loops_OptionsChangedAfterTheConstructor_FollowThoseOfTheConstructor()
    {
        FakeAffinity first = new(), second = new();
        _options.Affinity = first;
        _group = NewGroup();
        _options.Affinity = second;
        Post(Loop);

        Assert.NotEmpty(first.Pinned);
        Assert.Empty(second.Pinned);
    }

    [Fact]
    public void Loops_PlanWithSeveralNodes_HasTheLoopsOfEachNode()
    {
        var machine = TestMachines.Of((0, CpuSet.FromIds(0)), (3, CpuSet.FromIds(1)));
        _options.Affinity = new SingleNodeAffinityProvider();
        _group = new NumaEventLoopGroup(machine.Plan(new NumaPlanRequest { LoopsPerNode = 2 }), _options);

        Assert.Equal([0, 0, 3, 3], _group.Loops.Select(static loop => loop.NodeId.Value));
        Assert.Equal([0, 1, 2, 3], _group.Loops.Select(static loop => loop.Index));
    }

    private static NumaPlan Plan() =>
        NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1 });

    private static Socket BoundSocket()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    private static void SendTo(Socket receiver)
    {
        using var sender = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        sender.SendTo([1], receiver.LocalEndPoint!);
    }

    // Returns when the loop has run everything that was posted before.
    private static void Post(NumaEventLoop loop)
    {
        var handler = new RecordingHandler();
        loop.Post(handler);
        handler.WaitForCall();
    }

    private NumaEventLoopGroup NewGroup() => new(Plan(), _options);
}
