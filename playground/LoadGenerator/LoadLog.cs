using Microsoft.Extensions.Logging;

namespace NumaSharp.Playground.LoadGenerator;

internal static partial class LoadLog
{
    [LoggerMessage(1, LogLevel.Information, "Sends {Rate} a second to {Target}.")]
    public static partial void Starts(ILogger logger, int rate, string target);

    [LoggerMessage(2, LogLevel.Warning, "{Target} does not answer.")]
    public static partial void DoesNotAnswer(ILogger logger, Exception exception, string target);

    [LoggerMessage(3, LogLevel.Information, "{Target} answers.")]
    public static partial void Answers(ILogger logger, string target);
}
