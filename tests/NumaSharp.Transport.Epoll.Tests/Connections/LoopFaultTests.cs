using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

public sealed class LoopFaultTests
{
    [Fact]
    public async Task Callback_ThrowsAndTheLoggerThrowsToo_TheLoopContinues()
    {
        var called = new Signal();
        using var loggers = new RecordingLog(() =>
        {
            called.Set();
            throw new InvalidOperationException("A fault of the logger.");
        });
        await using var pair = await RawPair.ConnectAsync(
            new EpollTransportOptions { Dispatch = EpollDispatchMode.Adaptive }, loggers: loggers);
        var read = pair.Input.ReadAsync();
        await Task.Run(() => read.GetAwaiter().UnsafeOnCompleted(
            static () => throw new InvalidOperationException("A fault of the application.")));
        await pair.Client.SendAsync(new byte[1]);
        await called.Task.Within("the fault is logged");
        Assert.True(pair.Input.TryRead(out var received));
        pair.Input.AdvanceTo(received.Buffer.End);
        var next = pair.Input.ReadAsync();
        await pair.Client.SendAsync(new byte[2]);

        Assert.Equal(2, (await next.Within("the loop receives")).Buffer.Length);
    }
}
