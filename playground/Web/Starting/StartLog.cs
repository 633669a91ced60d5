using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace NumaSharp.Playground.Web.Starting;

/// <summary>
/// Until the start has succeeded, keeps the stack traces of a failed one out of the log: <see cref="StartFailure"/> says what is
/// wrong in a line per error. Afterwards the configured log levels are all there is.
/// </summary>
internal sealed class StartLog
    : IPostConfigureOptions<LoggerFilterOptions>, IOptionsChangeTokenSource<LoggerFilterOptions>, IDisposable
{
    private static readonly string[] s_categories =
        ["Microsoft.Extensions.Hosting.Internal.Host", "Microsoft.AspNetCore.Server.Kestrel"];

    private readonly CancellationTokenSource _started = new();

    public string Name => Options.DefaultName;

    public void End() => _started.Cancel();

    public void PostConfigure(string? name, LoggerFilterOptions options)
    {
        if (_started.IsCancellationRequested)
        {
            return;
        }

        foreach (var category in s_categories)
        {
            options.Rules.Add(new LoggerFilterRule(null, category, null, static (_, _, level) => level == LogLevel.Warning));
        }
    }

    // A signalled token would be asked for again and again.
    public IChangeToken GetChangeToken() =>
        new CancellationChangeToken(_started.IsCancellationRequested ? CancellationToken.None : _started.Token);

    public void Dispose() => _started.Dispose();
}
