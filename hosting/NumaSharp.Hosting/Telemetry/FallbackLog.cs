using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Starting;

/// <summary>
/// Logs fallbacks from the first report on, and their ends. Disposed after all services that report and before the loggers: waits
/// for pending messages, for a second at most.
/// </summary>
internal sealed class FallbackLog : IDisposable
{
    private readonly StopLimit _stopLimit;

    public FallbackLog(ILoggerFactory loggers, StopLimit stopLimit)
    {
        _stopLimit = stopLimit;
        var logger = loggers.CreateLogger(NumaHostingLog.Category);
        Fallbacks.Reported += (_, fallback) => NumaHostingLog.FellBack(logger, fallback.Feature, fallback.Text);
        Fallbacks.Withdrawn += (_, fallback) => NumaHostingLog.Withdrew(logger, fallback.Feature, fallback.Message);
    }

    public NumaFallbacks Fallbacks { get; } = new();

    public void Dispose() => _ = Outbox.Instance.Flush(_stopLimit.Of(Outbox.Patience));
}
