using System.Diagnostics;
using Microsoft.Extensions.Logging;

namespace NumaSharp.Logging;

/// <summary>
/// Keeps what a logger throws away from the loops, the watchdog and the accepting, where it would end the process. It goes to
/// <see cref="Trace"/>.
/// </summary>
internal sealed class GuardedLogger(ILogger logger) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => logger.BeginScope(state);

    public bool IsEnabled(LogLevel logLevel)
    {
        try
        {
            return logger.IsEnabled(logLevel);
        }
        catch (Exception exception)
        {
            Trace.TraceWarning($"A logger threw: {exception}");
            return false;
        }
    }

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        try
        {
            logger.Log(logLevel, eventId, state, exception, formatter);
        }
        catch (Exception thrown)
        {
            Trace.TraceWarning($"A logger threw: {thrown}; it was told: {formatter(state, exception)}");
        }
    }
}
