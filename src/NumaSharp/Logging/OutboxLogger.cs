using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.Logging;

/// <summary>
/// Hands messages to an application's logger by the <see cref="Outbox"/>: a logger that blocks or throws does so there. A
/// message is formatted there, too, so its arguments must not change. Messages that are dropped are counted, and that is logged
/// when the logger takes messages again. Thread-safe.
/// </summary>
internal sealed partial class OutboxLogger(ILogger logger, Outbox outbox) : ILogger
{
    private long _dropped;

    /// <summary>A scope belongs to a caller, and there is none where messages are delivered.</summary>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    /// <summary>Whether a level is wanted is the logger's own code, and asked when the message is delivered.</summary>
    public bool IsEnabled(LogLevel logLevel) => logLevel != LogLevel.None;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        var isPosted = outbox.Post(() =>
        {
            var dropped = Interlocked.Exchange(ref _dropped, 0);
            if (dropped > 0)
            {
                MessagesDropped(logger, dropped);
            }

            if (logger.IsEnabled(logLevel))
            {
                logger.Log(logLevel, eventId, state, exception, formatter);
            }
        });
        if (!isPosted)
        {
            Interlocked.Increment(ref _dropped);
        }
    }

    [LoggerMessage(800, LogLevel.Warning,
        "{Dropped} log messages were dropped, because a logger or a handler of fallbacks did not return.")]
    private static partial void MessagesDropped(ILogger logger, long dropped);
}
