using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace NumaSharp.Hosting.Tests.Support;

internal sealed class LogRecorder : ILoggerProvider
{
    private readonly ConcurrentQueue<(string Category, LogLevel Level, EventId Id, string Text)> _entries = new();

    public IReadOnlyList<string> TextsOf(int eventId) =>
        [.. _entries.Where(entry => entry.Id.Id == eventId).Select(static entry => entry.Text)];

    public IReadOnlyList<LogLevel> LevelsOf(int eventId) =>
        [.. _entries.Where(entry => entry.Id.Id == eventId).Select(static entry => entry.Level)];

    public ILogger CreateLogger(string categoryName) => new Logger(this, categoryName);

    public void Dispose()
    {
    }

    private sealed class Logger(LogRecorder recorder, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            recorder._entries.Enqueue((category, logLevel, eventId, formatter(state, exception)));
    }
}
