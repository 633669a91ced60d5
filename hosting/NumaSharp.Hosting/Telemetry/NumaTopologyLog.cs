using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Starting;

/// <summary>The events of a changing machine, 100 to 199 (docs/reference/events.md).</summary>
internal static partial class NumaTopologyLog
{
    [LoggerMessage(100, LogLevel.Information, "The machine has changed: {Change}. The plan is now: {Plan}.")]
    public static partial void Changed(ILogger logger, NumaPlanChange change, NumaPlan plan);

    [LoggerMessage(101, LogLevel.Debug, "Applied the plan: threads re-pinned, new memory from its nodes: {Plan}.")]
    public static partial void Applied(ILogger logger, NumaPlan plan);
}
