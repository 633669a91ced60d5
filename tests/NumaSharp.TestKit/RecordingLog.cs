using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace NumaSharp.TestKit;

/// <summary>
/// Remembers what the code under test logs, in order and of whatever category: as the factory that the code is given, or as a
/// host's provider.
/// </summary>
/// <param name="onEntry">Called after each, where it was said.</param>
/// <param name="from">What is less than that is not recorded.</param>
public sealed class RecordingLog(Action? onEntry = null, LogLevel from = LogLevel.Warning)
    : ILoggerFactory, ILoggerProvider, ILogger
{
    private readonly ConcurrentQueue<(int Id, LogLevel Level, string Text)> _entries = new();

    /// <summary>What is less than that is not recorded from now on.</summary>
    public LogLevel From { get; set; } = from;

    /// <summary>What was said by now, also what is on its way.</summary>
    public IReadOnlyList<(int Id, string Text)> Entries => [.. All.Select(static entry => (entry.Id, entry.Text))];

    private (int Id, LogLevel Level, string Text)[] All
    {
        get
        {
            Callbacks.Wait();
            return [.. _entries];
        }
    }

    public IReadOnlyList<string> TextsOf(int id) =>
        [.. All.Where(entry => entry.Id == id).Select(static entry => entry.Text)];

    public IReadOnlyList<LogLevel> LevelsOf(int id) =>
        [.. All.Where(entry => entry.Id == id).Select(static entry => entry.Level)];

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= From;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (IsEnabled(logLevel))
        {
            var text = formatter(state, exception);
            _entries.Enqueue((eventId.Id, logLevel, exception is null ? text : $"{text} {exception.Message}"));
            onEntry?.Invoke();
        }
    }

    public void Dispose()
    {
    }
}
