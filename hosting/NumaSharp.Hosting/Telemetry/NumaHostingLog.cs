using System.Net;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Starting;

/// <summary>The events of hosting, 700 to 799 (docs/reference/events.md).</summary>
internal static partial class NumaHostingLog
{
    public const string Category = "NumaSharp.Hosting";

    [LoggerMessage(700, LogLevel.Information, "NUMA: {Plan}. Transport: {Transport}. Fallbacks: {Fallbacks}.")]
    public static partial void Planned(ILogger logger, NumaPlan plan, string transport, string fallbacks);

    [LoggerMessage(701, LogLevel.Warning, "NUMA {Feature}: {Reason}")]
    public static partial void FellBack(ILogger logger, string feature, string reason);

    [LoggerMessage(702, LogLevel.Warning, "Unknown setting {Key}. {Advice}")]
    public static partial void UnknownSetting(ILogger logger, string key, string advice);

    [LoggerMessage(703, LogLevel.Information, "NUMA {Feature} recovered; it was: {Reason}")]
    public static partial void Withdrew(ILogger logger, string feature, string reason);

    [LoggerMessage(704, LogLevel.Information, "UDP listener {Name}: {EndPoint}, {Shards} shards.")]
    public static partial void ListensForDatagrams(ILogger logger, string name, EndPoint endPoint, int shards);

    [LoggerMessage(705, LogLevel.Warning,
        "UDP listener {Name} did not drain within the host's shutdown timeout: a handler is blocking, or peers do not read "
        + "replies.")]
    public static partial void AbandonedDatagrams(ILogger logger, string name);

    [LoggerMessage(706, LogLevel.Information, "{Key} is now '{Value}'; it was '{Former}'.")]
    public static partial void SettingChanged(ILogger logger, string key, string value, string former);

    [LoggerMessage(707, LogLevel.Warning, "{Key} was changed to '{Value}'; it stays '{Former}' until the next start.")]
    public static partial void SettingNeedsStart(ILogger logger, string key, string value, string former);

    [LoggerMessage(708, LogLevel.Warning, "Ignored the changed settings; a restart with them would fail: {Failures}")]
    public static partial void SettingsRefused(ILogger logger, string failures);

    [LoggerMessage(709, LogLevel.Warning,
        "Kestrel uses its own transport, not the NUMA transport: after AddNuma(), UseSockets() was called, "
        + "SocketTransportOptions were configured with other services, or the transports were replaced. Call AddNuma() last.")]
    public static partial void SocketsServe(ILogger logger);
}
