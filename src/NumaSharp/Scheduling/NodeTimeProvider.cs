namespace NumaSharp.Scheduling;

/// <summary>Another provider's time, whose timers call back on one node.</summary>
internal sealed class NodeTimeProvider(WorkerGroup group, TimeProvider clock) : TimeProvider
{
    public override TimeZoneInfo LocalTimeZone => clock.LocalTimeZone;

    public override long TimestampFrequency => clock.TimestampFrequency;

    public override DateTimeOffset GetUtcNow() => clock.GetUtcNow();

    public override long GetTimestamp() => clock.GetTimestamp();

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ArgumentNullException.ThrowIfNull(callback);
        return new NodeTimer(group, callback, state, clock, dueTime, period);
    }
}
