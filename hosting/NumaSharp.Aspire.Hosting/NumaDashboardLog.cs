using Microsoft.Extensions.Logging;

namespace NumaSharp.Aspire.Hosting;

/// <summary>Messages in the console log of the machine's resource.</summary>
internal static partial class NumaDashboardLog
{
    [LoggerMessage(751, LogLevel.Information, "{Plan}")]
    public static partial void Plan(ILogger logger, string plan);
}
