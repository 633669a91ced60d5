using System.Net.ServerSentEvents;
using System.Runtime.CompilerServices;
using System.Text.Json;
using NumaSharp.Hosting.Changes;

namespace NumaSharp.Hosting.Page;

/// <summary>The state as JSON, read at most once per interval however many look. Thread-safe.</summary>
internal sealed class MachineStateFeed(MachineStateReader reader, LiveOptions options, TimeProvider? time = null)
{
    /// <summary>The type of the stream's events.</summary>
    public const string EventType = "state";

    private readonly Lock _lock = new();
    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private string? _json;
    private long _readAt;

    private TimeSpan Interval => options.Value.Page.Interval;

    /// <summary>The state, not older than an interval.</summary>
    public string Read()
    {
        lock (_lock)
        {
            if (_json is null || _time.GetElapsedTime(_readAt) >= Interval)
            {
                _json = JsonSerializer.Serialize(reader.Read(), MachineStateJson.Default.MachineState);
                _readAt = _time.GetTimestamp();
            }

            return _json;
        }
    }

    /// <summary>One state at once, then one per interval, until it is cancelled, which is its ordinary end.</summary>
    public async IAsyncEnumerable<SseItem<string>> ReadAllAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(Interval, _time);
        do
        {
            yield return new SseItem<string>(Read(), EventType);
            timer.Period = Interval;
        }
        while (await WaitAsync(timer, cancellationToken).ConfigureAwait(false));
    }

    private static async Task<bool> WaitAsync(PeriodicTimer timer, CancellationToken cancellationToken)
    {
        try
        {
            return await timer.WaitForNextTickAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }
}
