using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Starting;

/// <summary>
/// Connects what could not be had with the log, from the first report on, and also when it is over. It is disposed of after all
/// that reports, and before the loggers: what they have still to be told is waited for, for a second at most.
/// </summary>
internal sealed class FallbackLog : IDisposable
{
    public FallbackLog(ILoggerFactory loggers)
    {
        var logger = loggers.CreateLogger(NumaHostingLog.Category);
        Fallbacks.Reported += fallback => NumaHostingLog.FellBack(logger, fallback.Feature, fallback.Message);
        Fallbacks.Withdrawn += fallback => NumaHostingLog.Withdrew(logger, fallback.Feature, fallback.Message);
    }

    public NumaFallbacks Fallbacks { get; } = new();

    public void Dispose() => _ = Outbox.Instance.Flush(Outbox.Patience);
}
