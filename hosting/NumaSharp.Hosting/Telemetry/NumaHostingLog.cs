using System.Net;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>
/// The events of hosting (docs/reference/events.md): 100 to 199 of a changing machine, 508 of the transport, 700 to 799. All of
/// an assembly are in one class: the generator writes several in an order that differs from build to build.
/// </summary>
internal static partial class NumaHostingLog
{
    public const string Category = "NumaSharp.Hosting";

    [LoggerMessage(100, LogLevel.Information, "The machine has changed: {Change}. The plan is now: {Plan}.",
        EventName = "Changed")]
    public static partial void MachineChanged(ILogger logger, NumaPlanChange change, NumaPlan plan);

    [LoggerMessage(101, LogLevel.Debug, "Applied the plan: threads re-pinned, new memory from its nodes: {Plan}.",
        EventName = "Applied")]
    public static partial void PlanApplied(ILogger logger, NumaPlan plan);

    [LoggerMessage(508, LogLevel.Information,
        "{Method} {Route} blocked event loop {Loop} (blocking call or long computation).")]
    public static partial void RequestKeptLoop(ILogger logger, int loop, string method, string route);

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

    [LoggerMessage(710, LogLevel.Information, "The managed heap: {Problem} {Remedy}")]
    public static partial void ManagedHeapIsElsewhere(ILogger logger, string problem, string remedy);

    [LoggerMessage(711, LogLevel.Information,
        "Memory is short: {Reason}. The pools and the allocator gave {Bytes} bytes back to the system.")]
    public static partial void MemoryIsShort(ILogger logger, string reason, long bytes);

    [LoggerMessage(712, LogLevel.Information, "Trial of pinning: {Result}.")]
    public static partial void PinningTried(ILogger logger, PinningTrialResult result);

    [LoggerMessage(713, LogLevel.Warning, "Trial of pinning: {Result}. {Remedy}")]
    public static partial void PinningCosts(ILogger logger, PinningTrialResult result, string remedy);
}

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
