using System.Collections.Concurrent;
using System.Text;
using Microsoft.Extensions.Logging;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Server;

/// <summary>
/// Keeps what the server and its transport log as an error: no test expects one. And the last of all that they log, which shows
/// why a connection has ended that a test counts on. Not a RecordingLog, which would keep what all tests of a fixture cause.
/// </summary>
internal sealed class ErrorLog : ILoggerProvider
{
    private const int MaxRecent = 100;

    // Said for every response.
    private const string KeepAlive = "ConnectionKeepAlive";

    private readonly ConcurrentQueue<string> _errors = new();
    private readonly ConcurrentQueue<string> _recent = new();

    public string Take() => Take(_errors);

    /// <summary>The last entries of any level.</summary>
    public string TakeRecent() => Take(_recent);

    public ILogger CreateLogger(string categoryName) => new Logger(categoryName, this);

    public void Dispose() => _errors.Clear();

    private static string Take(ConcurrentQueue<string> entries)
    {
        var text = new StringBuilder();
        while (entries.TryDequeue(out var entry))
        {
            text.AppendLine(entry);
        }

        return text.ToString();
    }

    private void Add(string entry, bool isError)
    {
        if (isError)
        {
            _errors.Enqueue(entry);
        }

        _recent.Enqueue(entry);
        while (_recent.Count > MaxRecent)
        {
            _recent.TryDequeue(out _);
        }
    }

    private sealed class Logger(string category, ErrorLog log) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Debug;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel) && eventId.Name != KeepAlive)
            {
                log.Add($"{category}: {formatter(state, exception)} {exception}", logLevel >= LogLevel.Error);
            }
        }
    }
}
