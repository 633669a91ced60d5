using System.Collections.Concurrent;
using System.Text;
using Microsoft.Extensions.Logging;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Server;

/// <summary>Keeps what the server logs as an error: no test expects one.</summary>
internal sealed class ErrorLog : ILoggerProvider
{
    private readonly ConcurrentQueue<string> _errors = new();

    public string Take()
    {
        var text = new StringBuilder();
        while (_errors.TryDequeue(out var error))
        {
            text.AppendLine(error);
        }

        return text.ToString();
    }

    public ILogger CreateLogger(string categoryName) => new Logger(categoryName, _errors);

    public void Dispose() => _errors.Clear();

    private sealed class Logger(string category, ConcurrentQueue<string> errors) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Error;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
            {
                errors.Enqueue($"{category}: {formatter(state, exception)} {exception}");
            }
        }
    }
}
