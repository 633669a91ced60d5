using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Starting;

/// <summary>Connects what could not be had with the log, from the first report on, and also when it is over.</summary>
internal static class FallbackLog
{
    public static NumaFallbacks CreateFallbacks(ILoggerFactory loggers)
    {
        var logger = loggers.CreateLogger(NumaHostingLog.Category);
        var fallbacks = new NumaFallbacks();
        fallbacks.Reported += fallback => NumaHostingLog.FellBack(logger, fallback.Feature, fallback.Message);
        fallbacks.Withdrawn += fallback => NumaHostingLog.Withdrew(logger, fallback.Feature, fallback.Message);
        return fallbacks;
    }
}
