using Microsoft.Extensions.Logging;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

public sealed class LoopFaultTests
{
    [Fact]
    public async Task Callback_ThrowsAndTheLoggerThrowsToo_TheLoopGoesOn()
    {
        using var loggers = new ThrowingLoggers();
        await using var pair = await RawPair.ConnectAsync(
            new EpollTransportOptions { Dispatch = EpollDispatchMode.Adaptive }, loggers: loggers);
        var read = pair.Input.ReadAsync();
        await Task.Run(() => read.GetAwaiter().UnsafeOnCompleted(
            static () => throw new InvalidOperationException("A fault of the application.")));
        await pair.Client.SendAsync(new byte[1]);
        await loggers.Called.Task.Within("the fault is logged");
        Assert.True(pair.Input.TryRead(out var received));
        pair.Input.AdvanceTo(received.Buffer.End);
        var next = pair.Input.ReadAsync();
        await pair.Client.SendAsync(new byte[2]);

        Assert.Equal(2, (await next.Within("the loop receives")).Buffer.Length);
    }

    private sealed class ThrowingLoggers : ILoggerFactory, ILogger
    {
        public Signal Called { get; } = new();

        public ILogger CreateLogger(string categoryName) => this;

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            Called.Set();
            throw new InvalidOperationException("A fault of the logger.");
        }

        public void Dispose()
        {
        }
    }
}
