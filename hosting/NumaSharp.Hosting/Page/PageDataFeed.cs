using System.Net.ServerSentEvents;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Serialization;
using NumaSharp.Hosting.Live;

namespace NumaSharp.Hosting.Page;

/// <summary>
/// The page's data as JSON, read at most once per interval for any number of readers. Reading calls providers and clocks, which
/// may be a plugin's or the application's: no lock is held meanwhile, and no thread waits for one that reads. Thread-safe.
/// </summary>
internal sealed class PageDataFeed(PageDataReader reader, LiveOptions options, TimeProvider? time = null)
{
    /// <summary>The type of the stream's events.</summary>
    public const string EventType = "state";

    // A timer may be early by this much: it uses the kernel's coarse clock, in ticks of up to 10 milliseconds.
    private static readonly TimeSpan s_shortestWait = TimeSpan.FromMilliseconds(1);

    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private State? _last;

    // Completes when the thread that reads is done; null while none reads.
    private TaskCompletionSource? _reading;

    /// <summary>
    /// The state, at most one interval old; while another thread reads the next one, the last one. If there is none yet, each
    /// thread reads its own.
    /// </summary>
    public string Read() => TryRead()?.Json ?? ReadNow().Json;

    /// <summary>Yields one state at once, then each new one, until cancelled, which is the normal end.</summary>
    public async IAsyncEnumerable<SseItem<string>> ReadAllAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        string? sent = null;
        while (await ReadNextAsync(sent, cancellationToken).ConfigureAwait(false) is { } next)
        {
            sent = next;
            yield return new SseItem<string>(next, EventType);
        }
    }

    // Sending the same state twice would look as if nothing had happened for an interval.
    private async Task<string?> ReadNextAsync(string? sent, CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                await WaitWhileNewAsync(sent, cancellationToken).ConfigureAwait(false);
                cancellationToken.ThrowIfCancellationRequested();
                if (TryRead() is { } next && !ReferenceEquals(next.Json, sent))
                {
                    return next.Json;
                }

                // Another thread reads it.
                var reading = Volatile.Read(ref _reading)?.Task ?? Task.CompletedTask;
                await reading.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return null;
        }
    }

    private async Task WaitWhileNewAsync(string? sent, CancellationToken cancellationToken)
    {
        while (Volatile.Read(ref _last) is { } last && ReferenceEquals(sent, last.Json)
            && TimeLeft(last) is var left && left > TimeSpan.Zero)
        {
            var wait = left > s_shortestWait ? left : s_shortestWait;
            await Task.Delay(wait, _time, cancellationToken).ConfigureAwait(false);
        }
    }

    // Null: another thread reads the first one.
    private State? TryRead()
    {
        var last = Volatile.Read(ref _last);
        if (last is not null && TimeLeft(last) > TimeSpan.Zero)
        {
            return last;
        }

        var mine = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        if (Interlocked.CompareExchange(ref _reading, mine, null) is not null)
        {
            return last;
        }

        try
        {
            // Another thread may have read it since.
            var next = Volatile.Read(ref _last);
            if (next is null || ReferenceEquals(next, last))
            {
                next = ReadNow();
                Volatile.Write(ref _last, next);
            }

            return next;
        }
        finally
        {
            Volatile.Write(ref _reading, null);
            mine.SetResult();
        }
    }

    private State ReadNow()
    {
        var json = JsonSerializer.Serialize(reader.Read(), PageDataJson.Default.PageData);
        return new State(json, _time.GetTimestamp());
    }

    private TimeSpan TimeLeft(State state) => options.Value.Page.Interval - _time.GetElapsedTime(state.ReadAt);

    private sealed record State(string Json, long ReadAt);
}

/// <summary>The JSON of the page; docs/reference/page.md describes it.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(PageData))]
internal sealed partial class PageDataJson : JsonSerializerContext;
