using System.Net.ServerSentEvents;
using System.Runtime.CompilerServices;
using System.Text.Json;
using NumaSharp.Hosting.Changes;

namespace NumaSharp.Hosting.Page;

/// <summary>The state as JSON, read at most once per interval for any number of readers. Thread-safe.</summary>
internal sealed class MachineStateFeed(MachineStateReader reader, LiveOptions options, TimeProvider? time = null)
{
    /// <summary>The type of the stream's events.</summary>
    public const string EventType = "state";

    // A timer may be early by this much: it uses the kernel's coarse clock, in ticks of up to 10 milliseconds.
    private static readonly TimeSpan s_shortestWait = TimeSpan.FromMilliseconds(1);

    private readonly Lock _lock = new();
    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private string? _json;
    private long _readAt;

    /// <summary>The state, at most one interval old.</summary>
    public string Read()
    {
        lock (_lock)
        {
            if (_json is null || TimeLeft() <= TimeSpan.Zero)
            {
                _json = JsonSerializer.Serialize(reader.Read(), MachineStateJson.Default.MachineState);
                _readAt = _time.GetTimestamp();
            }

            return _json;
        }
    }

    /// <summary>Yields one state at once, then each new one, until cancelled, which is the normal end.</summary>
    public async IAsyncEnumerable<SseItem<string>> ReadAllAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        string sent;
        do
        {
            sent = Read();
            yield return new SseItem<string>(sent, EventType);
        }
        while (await WaitForNextAsync(sent, cancellationToken).ConfigureAwait(false));
    }

    // Sending the same state twice would look as if nothing had happened for an interval.
    private async Task<bool> WaitForNextAsync(string sent, CancellationToken cancellationToken)
    {
        try
        {
            while (TimeLeftOf(sent) is var left && left > TimeSpan.Zero)
            {
                var wait = left > s_shortestWait ? left : s_shortestWait;
                await Task.Delay(wait, _time, cancellationToken).ConfigureAwait(false);
            }

            return !cancellationToken.IsCancellationRequested;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private TimeSpan TimeLeftOf(string sent)
    {
        lock (_lock)
        {
            return ReferenceEquals(sent, _json) ? TimeLeft() : TimeSpan.Zero;
        }
    }

    private TimeSpan TimeLeft() => options.Value.Page.Interval - _time.GetElapsedTime(_readAt);
}
