using Microsoft.Extensions.Logging;

namespace NumaSharp.Core;

/// <summary>
/// Passes messages to an application's logger through the <see cref="Outbox"/>: a logger that blocks or throws does so there.
/// Messages are formatted there, too, so their arguments must not change. The number of dropped messages is logged after the next
/// one that is delivered. Thread-safe.
/// </summary>
internal sealed partial class OutboxLogger(ILogger logger, Outbox outbox) : ILogger
{
    private volatile bool _wantsDebug;
    private Action? _askForDebug;

    /// <summary>
    /// Whether Debug was enabled when last asked: for messages too frequent to be queued only to be discarded.
    /// </summary>
    public bool WantsDebug => _wantsDebug;

    /// <summary>Asks the logger again, soon, whether Debug is enabled.</summary>
    public void AskForDebug() => outbox.Post(_askForDebug ??= () => _wantsDebug = logger.IsEnabled(LogLevel.Debug));

    /// <summary>A scope belongs to a caller, and messages are delivered without one.</summary>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    /// <summary>Whether a level is enabled is decided by the logger's own code, when the message is delivered.</summary>
    public bool IsEnabled(LogLevel logLevel) => logLevel != LogLevel.None;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        outbox.Post(() =>
        {
            if (logger.IsEnabled(logLevel))
            {
                logger.Log(logLevel, eventId, state, exception, formatter);
            }

            if (outbox.TakeDropped() is > 0 and var dropped)
            {
                CallsDropped(logger, dropped);
            }
        });

    [LoggerMessage(800, LogLevel.Warning,
        "{Dropped} log messages and notifications were dropped, because a logger or a handler did not return.")]
    private static partial void CallsDropped(ILogger logger, long dropped);
}

/// <summary>Lets a persistent problem be logged once a minute, not every time.</summary>
internal struct LogGate
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMinutes(1);

    private long? _last;

    /// <summary>Whether to log it now.</summary>
    public bool TryPass()
    {
        if (_last is { } last && TimeProvider.System.GetElapsedTime(last) < s_interval)
        {
            return false;
        }

        _last = TimeProvider.System.GetTimestamp();
        return true;
    }
}
