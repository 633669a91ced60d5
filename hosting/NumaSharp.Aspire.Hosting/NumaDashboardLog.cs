using Microsoft.Extensions.Logging;

namespace NumaSharp.Aspire.Hosting;

/// <summary>What the machine's resource writes to its console log.</summary>
internal static partial class NumaDashboardLog
{
    [LoggerMessage(751, LogLevel.Information, "{Plan}")]
    public static partial void Plan(ILogger logger, string plan);
}
